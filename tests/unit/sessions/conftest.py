"""Real servers, for what only a real one does: limits of Lua, memory that is full, settings that are wrong."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from redis.asyncio import Redis

from tests.support.sessions import Desk
from tests.support.stores import redis_server
from turnfold.embedded import EmbeddedServer
from turnfold.sessions.redis_store import RedisStore


@pytest.fixture(scope="module", params=["embedded", pytest.param("redis_server", marks=pytest.mark.redis_server)])
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "embedded":
        with EmbeddedServer() as started:
            yield started.redis_url
        return
    with tempfile.TemporaryDirectory(prefix="tf-") as folder, redis_server(Path(folder)) as address:
        yield address


@pytest.fixture
async def client(url: str) -> AsyncIterator[Redis]:
    opened: Redis = Redis.from_url(url, protocol=2)
    await opened.flushall()
    yield opened
    await opened.aclose()


@pytest.fixture
def desk(client: Redis) -> Desk:
    return Desk(RedisStore(client))
