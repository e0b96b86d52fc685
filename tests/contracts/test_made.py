"""What workers make of sessions beside summaries: search indexes, and marks of redacted values."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import cast

import pytest

from tests.support.sessions import Desk, said
from turnfold.operations.erasure import erase_message
from turnfold.sessions.made import StoredIndex
from turnfold.sessions.redis_store import RedisStore
from turnfold.sessions.session_key import SessionKey
from turnfold.sessions.store import SessionStore


@pytest.fixture
def desk(store: SessionStore) -> Desk:
    return Desk(store)


async def index_of(desk: Desk, *, through: int = 2, data: bytes = b"\x00\xff") -> StoredIndex:
    head = await desk.service.session("s")
    return StoredIndex(
        incarnation=head.incarnation, erased=head.erased, format=1, through=through, tokens=9, data=data
    )  # fmt: skip


async def test_an_index_is_kept_and_read_again(desk: Desk) -> None:
    await desk.service.append("s", said(2))
    key, index = desk.service.key("s"), await index_of(desk)

    assert await desk.store.read_index(key) is None
    assert await desk.store.keep_index(key, index)
    assert await desk.store.read_index(key) == index
    assert (await desk.store.read_index(key, with_data=False)) == await index_of(desk, data=b"")


async def test_an_older_index_does_not_take_the_place_of_a_newer_one(desk: Desk) -> None:
    await desk.service.append("s", said(2))
    key = desk.service.key("s")

    assert await desk.store.keep_index(key, await index_of(desk, through=2))
    assert await desk.store.keep_index(key, await index_of(desk, through=1))

    kept = await desk.store.read_index(key)
    assert kept is not None
    assert kept.through == 2


async def test_marks_are_added_to(desk: Desk) -> None:
    await desk.service.append("s", said(2))
    key, head = desk.service.key("s"), await desk.service.session("s")
    many = {f"[X_{n}]": f"value {n} ü" for n in range(1200)}

    assert await desk.store.marks(key) == {}
    assert await desk.store.keep_marks(key, head.incarnation, 0, {"[A]": "ana@example.com"})
    assert await desk.store.keep_marks(key, head.incarnation, 0, many)
    assert await desk.store.marks(key) == {"[A]": "ana@example.com", **many}


async def test_nothing_is_kept_of_a_session_that_was_made_anew(desk: Desk) -> None:
    await desk.service.append("s", said(2))
    key, index, old = desk.service.key("s"), await index_of(desk), await desk.service.session("s")
    await desk.store.keep_index(key, index)
    await desk.store.keep_marks(key, old.incarnation, 0, {"[A]": "ana@example.com"})
    await desk.service.delete("s")

    assert await desk.store.read_index(key) is None
    assert await desk.store.marks(key) == {}
    await desk.service.append("s", said(2))
    assert not await desk.store.keep_index(key, index)
    assert not await desk.store.keep_marks(key, old.incarnation, 0, {"[A]": "ana@example.com"})
    assert await desk.store.read_index(key) is None
    assert await desk.store.marks(key) == {}


async def test_both_go_with_an_erased_message_and_what_was_made_before_is_refused(desk: Desk) -> None:
    appended = await desk.service.append("s", said(3))
    key, index, head = desk.service.key("s"), await index_of(desk), await desk.service.session("s")
    await desk.store.keep_index(key, index)
    await desk.store.keep_marks(key, head.incarnation, 0, {"[A]": "ana@example.com"})

    await erase_message(desk.service, "s", appended.ids[1])

    assert await desk.store.read_index(key) is None
    assert await desk.store.marks(key) == {}
    assert not await desk.store.keep_index(key, index)
    assert not await desk.store.keep_marks(key, head.incarnation, 0, {"[A]": "ana@example.com"})
    assert await desk.store.keep_index(key, await index_of(desk))
    assert await desk.store.keep_marks(key, head.incarnation, 1, {"[B]": "ben@example.com"})


async def test_they_live_as_long_as_the_session(desk: Desk) -> None:
    await desk.service.append("s", said(2))
    key, head = desk.service.key("s"), await desk.service.session("s")
    await desk.store.keep_index(key, await index_of(desk))
    await desk.store.keep_marks(key, head.incarnation, 0, {"[A]": "a"})

    for ttl_seconds in (7000, 9000):
        await desk.service.update("s", ttl_seconds=ttl_seconds)
        await lifetimes_are(desk, ttl_seconds, among={b"index", b"marks", b"head", b"log"})
    await shorten_lifetimes(desk)
    await desk.service.append("s", said(1))
    await lifetimes_are(desk, 9000, among={b"index", b"marks", b"head", b"log"})
    assert await desk.store.read_index(key)
    assert await desk.store.marks(key)


async def shorten_lifetimes(desk: Desk) -> None:
    if isinstance(desk.store, RedisStore):
        for name in await names_of(desk.store):
            await desk.store.client.pexpire(name, 60_000)


async def lifetimes_are(desk: Desk, seconds: int, *, among: set[bytes]) -> None:
    if isinstance(desk.store, RedisStore):  # in memory a session is one thing
        names = await names_of(desk.store)
        assert {name.rpartition(b":")[2] for name in names} >= among
        for name in names:
            assert seconds - 60 < await desk.store.client.ttl(name) <= seconds, name


async def names_of(store: RedisStore) -> list[bytes]:
    found = cast("AsyncIterator[bytes]", store.client.scan_iter(match="*:s:default:s:*"))
    return [name async for name in found]


async def test_single_messages_are_read_by_their_positions(desk: Desk) -> None:
    await desk.service.append("s", said(4))
    key = desk.service.key("s")

    entries = await desk.store.read_entries(key, [4, 2, 99])

    assert {position: entry.message["content"][:10] for position, entry in entries.items()} == {
        4: "Message 4.", 2: "Message 2."
    }  # fmt: skip
    assert await desk.store.read_entries(key, []) == {}
    assert await desk.store.read_entries(SessionKey("other", "s"), [1]) == {}
