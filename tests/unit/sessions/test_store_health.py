"""What a Redis server's settings mean for sessions, said to those who run it."""

from __future__ import annotations

from typing import Any

import pytest
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from tests.support.sessions import Desk
from turnfold.sessions.redis_health import health_of
from turnfold.sessions.redis_store import RedisStore

WELL: dict[str, Any] = {
    "redis_version": "7.0.15",
    "used_memory": 1_000_000,
    "maxmemory": 0,
    "maxmemory_policy": "noeviction",
    "mem_not_counted_for_evict": 0,
    "aof_enabled": 1,
    "role": "master",
    "loading": 0,
}


def test_a_server_that_is_well_has_no_problems() -> None:
    health = health_of(WELL)

    assert (health.reachable, health.problems) == (True, ())
    assert health.details == {
        "server": "redis",
        "version": "7.0.15",
        "used_memory_bytes": 1_000_000,
        "max_memory_bytes": 0,
        "maxmemory_policy": "noeviction",
        "full": False,
        "appendonly": True,
        "role": "master",
    }


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"maxmemory_policy": "allkeys-lru"}, ["maxmemory-policy is allkeys-lru", "set it to noeviction"]),
        ({"maxmemory_policy": "volatile-ttl"}, ["maxmemory-policy is volatile-ttl", "set it to noeviction"]),
        ({"maxmemory": 900_000}, ["full", "maxmemory"]),
        ({"redis_version": "6.2.14"}, ["6.2.14", "7.0"]),
        ({"role": "slave", "slave_read_only": 1}, ["replica", "TURNFOLD_REDIS_URL"]),
    ],
)
def test_a_setting_that_would_lose_or_refuse_sessions_is_named_with_the_mend(
    told: dict[str, Any], words: list[str]
) -> None:
    (problem,) = health_of(WELL | told).problems

    assert all(word in problem for word in words), problem


def test_memory_that_the_server_does_not_count_does_not_make_it_full() -> None:
    told = WELL | {"maxmemory": 900_000, "mem_not_counted_for_evict": 200_000}

    assert health_of(told).details["full"] is False


def test_a_server_without_append_only_persistence_is_no_problem_but_says_so() -> None:
    health = health_of(WELL | {"aof_enabled": 0})

    assert (health.problems, health.details["appendonly"]) == ((), False)


def test_valkey_is_known_by_its_own_version() -> None:
    details = health_of(WELL | {"redis_version": "7.2.4", "server_name": "valkey", "valkey_version": "9.1.0"}).details

    assert (details["server"], details["version"]) == ("valkey", "9.1.0")


def test_a_server_that_keeps_its_settings_to_itself_is_not_blamed() -> None:
    assert health_of({}).problems == ()


async def test_a_real_server_with_a_wrong_policy_is_found_out(desk: Desk, client: Redis) -> None:
    await client.config_set("maxmemory-policy", "allkeys-lru")
    try:
        health = await desk.store.health()
    finally:
        await client.config_set("maxmemory-policy", "noeviction")

    assert health.reachable
    assert any("allkeys-lru" in problem for problem in health.problems)
    assert health.details["appendonly"] is True


async def test_a_server_that_allows_no_info_is_reachable(desk: Desk, client: Redis) -> None:
    # given
    await client.acl_setuser("default", enabled=True, commands=["-info"])
    try:
        health = await desk.store.health()
    finally:
        await client.acl_setuser("default", enabled=True, commands=["+info"])

    # then
    assert (health.reachable, health.problems) == (True, ())


async def test_a_store_out_of_reach_is_an_answer_and_not_an_error() -> None:
    # given
    nobody: Redis = Redis(host="127.0.0.1", port=1, socket_connect_timeout=1, retry=Retry(NoBackoff(), 0))

    # when
    health = await RedisStore(nobody).health()

    # then
    assert not health.reachable
    assert "did not answer" in health.problems[0]
    await nobody.aclose()
