"""Sessions that expired: they are shown nowhere, and no index keeps them."""

from __future__ import annotations

import pytest

from tests.support.sessions import Desk, said
from tests.support.waiting import wait_until_async
from turnfold.sessions.session_key import SessionKey
from turnfold.sessions.store import SessionStore


@pytest.fixture
def desk(store: SessionStore) -> Desk:
    return Desk(store)


async def made(desk: Desk, *names: str, ttl_seconds: int) -> None:
    for name in names:
        await desk.service.create(name, ttl_seconds=ttl_seconds)
        await desk.service.append(name, said(1))


async def wait_for_the_end_of(desk: Desk, name: str) -> None:
    async def is_gone() -> bool:
        return await desk.store.read_head(desk.service.key(name)) is None

    await wait_until_async(is_gone, description=f"{name} expired")


async def listed(store: SessionStore, limit: int) -> list[str]:
    """Every session of the default tenant, page by page."""
    names: list[str] = []
    before: tuple[int, str] | None = None
    while page := await store.list_sessions("default", before, limit):
        names += [name for _, name in page]
        before = page[-1]
    return names


async def test_expired_sessions_are_not_listed_and_pages_go_on_behind_them(desk: Desk) -> None:
    # given: more of them than a page holds, before, between and behind the others
    await made(desk, "a", ttl_seconds=3600)
    await made(desk, *(f"x{n}" for n in range(5)), ttl_seconds=1)
    await made(desk, "b", ttl_seconds=3600)
    await made(desk, *(f"y{n}" for n in range(5)), ttl_seconds=1)
    first = await desk.store.list_sessions("default", None, 2)
    await wait_for_the_end_of(desk, "y4")

    # then
    assert len(first) == 2
    assert await listed(desk.store, 2) == ["b", "a"]
    behind_one_that_is_gone = await desk.store.list_sessions("default", first[-1], 2)
    assert [name for _, name in behind_one_that_is_gone] == ["b", "a"]


async def test_a_sweep_takes_expired_sessions_out_of_every_index(desk: Desk) -> None:
    # given: some that are over, one that would be if it had not been prolonged, one that was made again
    await made(desk, "prolonged", *(f"x{n}" for n in range(5)), "again", ttl_seconds=1)
    await desk.service.update("prolonged", ttl_seconds=3600)
    await wait_for_the_end_of(desk, "again")
    await desk.service.append("again", said(1))

    # when
    dropped = [await desk.store.drop_expired(3), await desk.store.drop_expired(3), await desk.store.drop_expired(3)]

    # then
    assert dropped == [3, 2, 0]
    assert await listed(desk.store, 10) == ["again", "prolonged"]
    recent = [key async for batch in desk.store.recent_sessions(0) for key in batch]
    assert sorted(recent) == [SessionKey("default", "again"), SessionKey("default", "prolonged")]
