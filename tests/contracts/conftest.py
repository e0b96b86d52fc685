"""Stores for the contract tests: the same test body proves each of them."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.support.stores import opened_store, redis_server
from turnfold.embedded import EmbeddedServer
from turnfold.sessions.store import SessionStore

KINDS = ["memory", "fakeredis", "embedded", pytest.param("redis_server", marks=pytest.mark.redis_server)]


@pytest.fixture(scope="module")
def embedded_url() -> Iterator[str]:
    with EmbeddedServer() as server:
        yield server.redis_url


@pytest.fixture(scope="module")
def redis_server_url() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="tf-") as folder, redis_server(Path(folder)) as url:
        yield url


@pytest.fixture(params=KINDS)
async def store(request: pytest.FixtureRequest) -> AsyncIterator[SessionStore]:
    kind = str(request.param)
    url = request.getfixturevalue(f"{kind}_url") if kind in ("embedded", "redis_server") else None
    async with opened_store(kind, url) as opened:
        yield opened
