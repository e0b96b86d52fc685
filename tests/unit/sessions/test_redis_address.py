"""An address of a store that can't be one is refused by name, with what to write instead."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.support.stores import redis_server
from turnfold import Turnfold
from turnfold.errors import BadInput
from turnfold.jobs.broker_url import chosen_broker_url
from turnfold.sessions.redis_address import checked_address
from turnfold.sessions.session_key import SessionKey
from turnfold.settings import Settings
from turnfold.wiring import build_store
from turnfold_workers.main import run_beat

WRONG = [
    ("http://store", "starts with http://"),
    ("store:6379", "redis://"),
    ("store", "redis://"),
    ("valkey://store", "write redis:// for a Valkey server"),
    ("redis://store:notaport", "port"),
    ("redis://store:99999", "port"),
    ("redis://store:0", "port"),
    ("redis://[store", "host"),
    ("redis://store/first", "database"),
    ("redis://store/-1", "database"),
    ("redis://store?db=first", "database"),
    ("unix:///run/store.sock?db=first", "database"),
    ("unix://", "file"),
    ("redis://store?socket_timeout=long", "socket_timeout"),
    ("redis://store?colour=red", "colour"),
]
RIGHT = [
    "redis://", "redis://store", "redis://store:6379/3", "redis://:secret@/1", "redis://user:se%40cret@store:6379",
    "rediss://store?ssl_cert_reqs=none", "unix:///run/store.sock", "unix:///run/store.sock?db=2",
    "redis://store?socket_timeout=2&db=4", "redis://[::1]:6379/0",
]  # fmt: skip


@pytest.mark.parametrize(("url", "told"), WRONG)
def test_a_store_at_a_wrong_address_is_refused_by_the_name_of_the_setting(url: str, told: str) -> None:
    with pytest.raises(BadInput) as refused:
        build_store(Settings(redis_url=url))

    assert refused.value.path == "TURNFOLD_REDIS_URL"
    assert told in refused.value.message


@pytest.mark.parametrize("url", RIGHT)
def test_a_store_at_a_right_address_is_built(url: str) -> None:
    async def built() -> None:
        await build_store(Settings(redis_url=url)).close()

    asyncio.run(built())


@pytest.mark.parametrize(("url", "told"), [pair for pair in WRONG if "?s" not in pair[0] and "?c" not in pair[0]])
def test_the_broker_beside_it_and_the_schedule_say_the_same(url: str, told: str) -> None:
    with pytest.raises(BadInput) as refused:
        chosen_broker_url(None, redis_url=url)
    with pytest.raises(BadInput) as refused_beat:
        run_beat(Settings(redis_url=url, broker_url="redis://store/1"))

    for error in (refused.value, refused_beat.value):
        assert (error.path, told in error.message) == ("TURNFOLD_REDIS_URL", True)


def test_an_argument_is_named_as_the_argument() -> None:
    with pytest.raises(BadInput) as refused:
        Turnfold(redis_url="http://store")

    assert refused.value.path == "redis_url"


def test_no_password_is_told() -> None:
    for url in ("redis://user:secret@store:notaport", "http://user:secret@store", "redis://:secret@[store"):
        with pytest.raises(BadInput) as refused:
            checked_address(url, "redis_url")
        assert "secret" not in str(refused.value)


@pytest.mark.parametrize("url", ["redis://broker:notaport", "amqp://broker:99999", "redis://[broker"])
def test_a_broker_at_a_wrong_address_is_refused_by_name(url: str) -> None:
    with pytest.raises(BadInput) as refused:
        chosen_broker_url(url, redis_url=None)

    assert refused.value.path == "TURNFOLD_BROKER_URL"


@pytest.mark.redis_server
def test_a_store_is_reached_by_its_socket(tmp_path: Path) -> None:
    async def asked(url: str) -> None:
        store = build_store(Settings(redis_url=url))
        await store.ping()
        await store.close()

    with redis_server(tmp_path) as url:
        asyncio.run(asked(url))


@pytest.mark.redis_server
def test_more_requests_than_connections_wait_for_one(tmp_path: Path) -> None:
    async def asked(url: str) -> list[object]:
        store = build_store(Settings(redis_url=url))
        found = await asyncio.gather(*(store.read_head(SessionKey("default", f"s{n}")) for n in range(500)))
        await store.close()
        return list(found)

    with redis_server(tmp_path) as url:
        assert asyncio.run(asked(url)) == [None] * 500
