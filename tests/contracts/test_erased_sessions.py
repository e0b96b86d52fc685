"""What is left of a session that was erased: nothing, however much it owned."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from tests.support.sessions import Desk, said
from turnfold.errors import NotFound
from turnfold.sessions.session_key import SessionKey
from turnfold.sessions.store import SessionStore


@pytest.fixture
def desk(store: SessionStore) -> Desk:
    return Desk(store)


async def test_a_session_that_owns_more_than_one_step_takes_is_erased_whole(desk: Desk) -> None:
    # given
    for n in range(1, 1200):
        await desk.service.append("s", said(1, n), idempotency_key=f"k{n}", digest="d")

    # when
    await desk.service.delete("s")

    # then
    with pytest.raises(NotFound):
        await desk.service.session("s")
    assert await desk.store.list_jobs("default", None, 10) == []
    again = await desk.service.append("s", said(1), idempotency_key="k1", digest="another body")
    assert (again.first, again.repeated) == (1, False)


async def test_a_session_that_is_written_to_while_it_is_erased_is_erased_or_made_anew(desk: Desk) -> None:
    # given
    await desk.service.append("s", said(8), idempotency_key="k", digest="d")
    writers = {f"k{n}": Desk(desk.store).service for n in range(3)}

    # when
    await asyncio.gather(
        *(writer.append("s", said(1), idempotency_key=name, digest="d") for name, writer in writers.items()),
        desk.store.delete(desk.service.key("s")),
    )

    # then
    head = await desk.store.read_head(desk.service.key("s"))
    read = await desk.store.read_log(desk.service.key("s"), 0, 100)
    assert (head is None) == (read is None)
    if head is not None and read is not None:
        assert len(read.entries) == head.length


async def test_a_session_that_never_was_is_not_erased(store: SessionStore) -> None:
    assert not await store.delete(SessionKey("default", "never"))


async def test_an_erased_session_leaves_its_tenant_no_trace(desk: Desk) -> None:
    # given
    other = desk.service.for_tenant("other")
    await other.append("t", said(1))
    head = await other.session("t")
    await desk.store.write_head(other.key("t"), head.version, replace(head, version=head.version + 1))

    # when
    await other.delete("t")

    # then
    assert await desk.store.list_sessions("other", None, 10) == []
    assert [batch async for batch in desk.store.recent_sessions(0) if batch] == []
