"""A reply is kept until it is committed, and no longer."""

from __future__ import annotations

import pytest

from tests.support.sessions import Desk, said
from turnfold.sessions.ledger import Spent
from turnfold.sessions.session_key import SessionKey
from turnfold.sessions.store import SessionStore


@pytest.fixture
def desk(store: SessionStore) -> Desk:
    return Desk(store)


async def test_no_reply_outlives_the_commit(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    # given
    kept: list[str] = []
    keep = desk.store.keep_reply

    async def noting(key: SessionKey, incarnation: str, digest: str, reply: bytes, *, spent: Spent) -> bool:
        kept.append(digest)
        return await keep(key, incarnation, digest, reply, spent=spent)

    monkeypatch.setattr(desk.store, "keep_reply", noting)
    await desk.service.append("s", said(8))
    key, head = desk.service.key("s"), await desk.service.session("s")
    await keep(key, head.incarnation, "of an earlier try", b"reply")

    # when
    await desk.work()

    # then
    assert kept
    assert [await desk.store.kept_reply(key, digest) for digest in [*kept, "of an earlier try"]] == [None, None]


async def test_a_reply_is_there_for_the_next_try(desk: Desk) -> None:
    # given
    await desk.service.append("s", said(8))
    key, head = desk.service.key("s"), await desk.service.session("s")
    job = await desk.store.claim(head.pending_job, "w", 60_000)
    assert job is not None
    await desk.store.keep_reply(key, head.incarnation, "digest", b"reply")

    # when
    await desk.store.release(job, delay_ms=0, error="the store was away")

    # then
    assert await desk.store.kept_reply(key, "digest") == b"reply"
