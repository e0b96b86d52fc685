"""The schedule in the store: its keys are those that are documented, and nothing is scheduled that nobody needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import redis
from kombu.utils.imports import symbol_by_name

from turnfold.embedded import EmbeddedServer
from turnfold.sessions import keys
from turnfold.settings import Settings
from turnfold_workers.app import create_beat

REDIS: Any = redis.Redis  # the types of its methods are full of holes
SWEEP = f"{keys.BEAT_PREFIX}turnfold.sweep"


@pytest.fixture
def server() -> Iterator[EmbeddedServer]:
    with EmbeddedServer() as started:
        yield started


@pytest.fixture
def client(server: EmbeddedServer) -> Iterator[Any]:
    with REDIS.from_url(server.redis_url, decode_responses=True) as opened:
        yield opened


def begin(server: EmbeddedServer) -> None:
    """Writes the schedule as a beat does at its start."""
    with create_beat(Settings(redis_url=server.redis_url)) as app:
        scheduler: Any = symbol_by_name(app.conf.beat_scheduler)
        scheduler(app).setup_schedule()


def test_only_the_sweep_is_scheduled(server: EmbeddedServer, client: Any) -> None:
    # when
    begin(server)

    # then
    assert client.zrange(f"{keys.BEAT_PREFIX}:schedule", 0, -1) == [SWEEP]
    assert client.smembers(f"{keys.BEAT_PREFIX}:statics") == {"turnfold.sweep"}


def test_every_key_of_the_schedule_is_documented_and_permanent_by_name(server: EmbeddedServer, client: Any) -> None:
    # when
    begin(server)

    # then
    found = [name for name in client.keys("*") if client.pttl(name) < 0]
    assert sorted(found) == sorted(part for part in keys.PERMANENT if part.startswith(keys.BEAT_PREFIX))
    assert all(f"`{name}`" in (keys.__doc__ or "") for name in found)
