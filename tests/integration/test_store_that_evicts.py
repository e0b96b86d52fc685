"""A store that throws jobs away can't keep the promise of a worker: it says so in one line, and does not start."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest
import redis

from turnfold.embedded import EmbeddedServer
from turnfold.settings import Settings
from turnfold_workers.keeping_store import check_store_keeps

REDIS: Any = redis.Redis  # the types of its methods are full of holes


def test_a_worker_does_not_start_on_it() -> None:
    with EmbeddedServer() as server:
        with REDIS(port=server.port) as client:
            client.config_set("maxmemory", "100mb")
            client.config_set("maxmemory-policy", "allkeys-lru")

        ended = subprocess.run(
            [sys.executable, "-m", "turnfold", "worker"],
            env=os.environ | {"TURNFOLD_REDIS_URL": server.redis_url, "TURNFOLD_SUMMARIZER": "extractive"},
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )

    assert ended.returncode != 0
    assert "maxmemory-policy noeviction" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("options", [{}, {"maxmemory": "100mb"}, {"maxmemory-policy": "allkeys-lru"}])
def test_one_that_keeps_what_it_has_is_taken(options: dict[str, str]) -> None:
    with EmbeddedServer() as server:
        with REDIS(port=server.port) as client:
            for name, value in options.items():
                client.config_set(name, value)

        check_store_keeps(Settings(redis_url=server.redis_url))


def test_one_that_is_away_is_waited_for() -> None:
    check_store_keeps(Settings(redis_url="redis://127.0.0.1:1/0"))
