"""A message that is erased is gone from everything that was made of it; what can be made again, is."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Any

import pytest

from tests.support.sessions import Desk, said
from turnfold import jsonio
from turnfold.audit import audit
from turnfold.errors import NotFound, RevisionMismatch
from turnfold.operations.erasure import erase_message
from turnfold.sessions.job import JobState
from turnfold.sessions.store import SessionStore

SECRET = "My password is hunter2, and my card is 4111 1111 1111 1111."


@pytest.fixture
def desk(store: SessionStore) -> Desk:
    return Desk(store)


async def everything_told(desk: Desk, session: str = "s") -> str:
    """All that the session shows or keeps, as one text."""
    key = desk.service.key(session)
    turn = await desk.service.context(session)
    read = await desk.service.messages(session, limit=1000)
    _, index = await desk.service.history(session)
    kept = [
        [dict(message) for message in turn.messages],
        [dict(entry.message) for entry in read.entries.values()],
        await desk.store.summaries(key),
        [[dict(message) for message in group.messages] for group in index.groups],
        [asdict(job) for job in await desk.store.list_jobs("default", None, 100)],
    ]
    return jsonio.dumps(kept).decode()


async def is_sound(desk: Desk, session: str = "s") -> bool:
    return await audit(desk.store, desk.service.key(session), desk.policy) == []


async def test_an_erased_message_is_gone_and_the_positions_of_the_others_stay(desk: Desk) -> None:
    result = await desk.service.append("s", [*said(2), {"role": "user", "content": SECRET}, *said(1, 4)])

    head = await erase_message(desk.service, "s", result.ids[2])

    read = await desk.service.messages("s")
    assert sorted(read.entries) == [1, 2, 4]
    assert (head.revision, head.length, head.erased) == (result.revision + 1, 4, 1)
    assert SECRET not in await everything_told(desk)
    assert (await desk.service.append("s", said(1, 5))).first == 5
    assert await is_sound(desk)


async def test_every_summary_up_the_chain_goes_and_is_made_again_without_the_message(desk: Desk) -> None:
    # given: a message under a summary under a summary
    first = await desk.service.append("s", [{"role": "user", "content": SECRET}], pin=True)
    for n in (1, 9):
        await desk.service.append("s", said(8, n))
        await desk.work()
    assert len(await desk.store.summaries(desk.service.key("s"))) == 2
    assert SECRET in await everything_told(desk)

    # when
    await erase_message(desk.service, "s", first.ids[0])

    # then: at once
    assert SECRET not in await everything_told(desk)
    assert await desk.store.summaries(desk.service.key("s")) == {}
    assert (await desk.service.session("s")).pins == []
    assert await is_sound(desk)

    # then: the sources are folded again
    assert await desk.work() > 0
    turn = await desk.service.context("s")
    assert turn.messages[0]["content"].startswith("[Summary]")
    assert len(turn.messages) < 16
    assert await is_sound(desk)


async def test_summaries_of_other_messages_stay(desk: Desk) -> None:
    await desk.service.append("s", said(8))
    await desk.work()
    records = await desk.store.summaries(desk.service.key("s"))
    later = await desk.service.append("s", [{"role": "user", "content": SECRET}])

    await erase_message(desk.service, "s", later.ids[0])

    assert await desk.store.summaries(desk.service.key("s")) == records
    assert (await desk.service.session("s")).pending_job == ""
    assert await is_sound(desk)


async def test_a_summary_that_no_trigger_asks_for_is_made_again_all_the_same(store: SessionStore) -> None:
    # given: a summary that was asked for
    step: dict[str, Any] = {"strategy": "summarization", "trigger": "never", "minimum_preserved": 2}
    desk = Desk(store, step)
    result = await desk.service.append("s", said(8))
    await desk.service.compact("s")
    await desk.work()
    await desk.service.append("s", said(3, 9))

    # when
    await erase_message(desk.service, "s", result.ids[0])
    await desk.work()

    # then: what it covered is folded, and no more than that
    (record,) = (await desk.store.summaries(desk.service.key("s"))).values()
    assert record["positions"] == [2, 3, 4, 5, 6]
    assert await is_sound(desk)


async def test_a_job_that_is_at_work_is_superseded_and_commits_nothing(desk: Desk) -> None:
    # given
    result = await desk.service.append("s", said(8))
    job_id = await desk.take()
    assert job_id is not None
    claimed = await desk.store.claim(job_id, "w", 60_000)
    assert claimed is not None
    await desk.store.keep_reply(desk.service.key("s"), claimed.incarnation, "digest", SECRET.encode())

    # when
    await erase_message(desk.service, "s", result.ids[0])

    # then
    ended = await desk.store.read_job(job_id)
    assert ended is not None
    assert (ended.state, ended.reason) == (JobState.SUPERSEDED, "message_erased")
    assert not await desk.store.renew(claimed, 60_000)
    assert not await desk.store.finish(claimed, JobState.DEAD, reason="", error="", plan_at_tokens=0)
    assert await desk.store.kept_reply(desk.service.key("s"), "digest") is None
    assert job_id not in await desk.store.due_jobs(10)

    # then: another one is recorded, and was sent
    head = await desk.service.session("s")
    assert head.pending_job not in ("", job_id)
    assert await desk.take() == head.pending_job
    assert head.fence > claimed.fence


async def test_an_answer_that_told_of_the_message_is_forgotten_and_others_are_not(desk: Desk) -> None:
    first = await desk.service.append("s", said(2), idempotency_key="a", digest="d")
    await desk.service.append("s", said(2, 3), idempotency_key="b", digest="d")

    await erase_message(desk.service, "s", first.ids[1])

    assert (await desk.service.append("s", said(2, 3), idempotency_key="b", digest="d")).repeated
    again = await desk.service.append("s", said(1, 5), idempotency_key="a", digest="another")
    assert (again.first, again.repeated) == (5, False)


async def test_an_id_of_an_erased_message_may_be_used_again(desk: Desk) -> None:
    await desk.service.append("s", [{"role": "user", "content": SECRET, "id": "mine"}])
    await erase_message(desk.service, "s", "mine")
    assert (await desk.service.append("s", [{"role": "user", "content": "x", "id": "mine"}])).ids == ["mine"]


CALL: dict[str, Any] = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}},
        {"id": "b", "type": "function", "function": {"name": "look", "arguments": "{}"}},
    ],
}
TOOL_TALK: list[dict[str, Any]] = [
    *said(1),
    {"role": "assistant", "content": None, "reasoning_content": "Let me look."},
    CALL,
    {"role": "assistant", "content": None, "reasoning_content": "And wait."},
    {"role": "tool", "tool_call_id": "a", "content": "found a"},
    {"role": "tool", "tool_call_id": "b", "content": "found b"},
    *said(2, 2),
]


@pytest.mark.parametrize("folded", [False, True])
@pytest.mark.parametrize("position", range(1, 9))
async def test_what_is_left_of_a_call_or_of_its_results_is_hidden(desk: Desk, position: int, folded: bool) -> None:
    result = await desk.service.append("s", TOOL_TALK)
    if folded:
        await desk.service.append("s", said(6, 4))
        await desk.work()

    await erase_message(desk.service, "s", result.ids[position - 1])

    assert await is_sound(desk)
    await desk.service.append("s", [{"role": "tool", "tool_call_id": "b", "content": "again"}, *said(8, 10)])
    assert await is_sound(desk)
    await desk.work()
    assert await is_sound(desk)


@pytest.mark.parametrize("position", [2, 3, 4, 5])
async def test_a_call_that_waits_goes_on_waiting_unless_it_was_erased_itself(desk: Desk, position: int) -> None:
    result = await desk.service.append("s", TOOL_TALK[:5])

    await erase_message(desk.service, "s", result.ids[position - 1])
    await desk.service.append("s", [{"role": "tool", "tool_call_id": "b", "content": "found b"}])
    if position in (2, 4):  # the reasoning went
        await desk.service.append("s", said(1, 2))

    shown = [message["role"] for message in (await desk.service.context("s")).messages]
    assert ("tool" in shown) is (position in (2, 4))
    assert await is_sound(desk)


async def test_a_copy_in_a_branch_is_erased_too(desk: Desk) -> None:
    # given: branches as the proxy makes them, and a session whose name only looks like one
    talk = [{"role": "user", "content": SECRET}, *said(3, 2)]
    first = await desk.service.append("s", talk)
    for name, source, length in (("s~1", "s", 3), ("s~2", "s~1", 2)):
        await desk.service.append(name, [*talk[:length], *said(2, 7)])
        await desk.service.update(name, metadata={"branch_of": source, "branch_at": length})
    await desk.service.append("s~3", talk)

    # when
    await erase_message(desk.service, "s", first.ids[0])

    # then
    told = [SECRET in await everything_told(desk, name) for name in ("s", "s~1", "s~2", "s~3")]
    assert told == [False, False, False, True]


async def test_messages_that_come_meanwhile_are_kept(store: SessionStore) -> None:
    desks = [Desk(store) for _ in range(4)]
    result = await desks[0].service.append("s", said(8))

    await asyncio.gather(
        *(erase_message(desks[0].service, "s", message_id) for message_id in result.ids[:3]),
        *(desks[n % 4].service.append("s", said(1, 9 + n)) for n in range(12)),
    )

    head = await desks[0].service.session("s")
    assert (head.length, head.erased) == (20, 3)
    assert await is_sound(desks[0])


async def test_only_what_is_there_can_be_erased_and_only_once(desk: Desk) -> None:
    result = await desk.service.append("s", said(2))
    with pytest.raises(NotFound):
        await erase_message(desk.service, "none", result.ids[0])
    with pytest.raises(RevisionMismatch):
        await erase_message(desk.service, "s", result.ids[0], if_match=7)
    await erase_message(desk.service, "s", result.ids[0], if_match=1)
    with pytest.raises(NotFound):
        await erase_message(desk.service, "s", result.ids[0])
    await erase_message(desk.service, "s", result.ids[1])
    assert (await desk.service.context("s")).messages == []
    assert await is_sound(desk)
