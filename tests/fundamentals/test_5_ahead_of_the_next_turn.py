"""Step 5: append, plan, work, commit, and the next turn. No turn waits for a summarizer."""

from __future__ import annotations

from tests.support.sessions import Desk, said
from turnfold.audit import audit
from turnfold.messages import Message
from turnfold.sessions.job import JobState
from turnfold.sessions.memory_store import MemoryStore


async def test_an_append_that_makes_a_summary_due_records_a_job_in_the_same_write() -> None:
    desk = Desk(MemoryStore())
    assert (await desk.service.append("s", said(6))).job is None
    appended = await desk.service.append("s", said(1, 7))
    assert appended.job is not None
    assert (await desk.service.session("s")).pending_job == appended.job["id"]


async def test_until_the_summary_is_there_a_turn_gets_everything_that_still_fits() -> None:
    desk = Desk(MemoryStore())
    await desk.service.append("s", said(12))
    turn = await desk.service.context("s")
    assert [_number(message) for message in turn.messages] == list(range(4, 13))
    assert turn.pending_job is not None


async def test_when_a_worker_has_done_its_work_the_next_turn_has_the_summary() -> None:
    desk = Desk(MemoryStore())
    await desk.service.append("s", said(12))
    await desk.service.context("s")
    await desk.work()
    turn = await desk.service.context("s")
    assert turn.messages[0]["content"].startswith("[Summary]")
    assert (len(turn.messages), turn.pending_job) == (4, None)


async def test_the_log_is_always_whole_and_every_promise_can_be_checked() -> None:
    desk = Desk(MemoryStore())
    await desk.service.append("s", said(12))
    await desk.work()
    read = await desk.service.messages("s")
    assert [_number(read.entries[position].message) for position in sorted(read.entries)] == list(range(1, 13))
    assert await audit(desk.store, desk.service.key("s"), desk.policy) == []


async def test_a_worker_that_dies_leaves_the_session_as_it_was_and_another_one_finishes_the_job() -> None:
    desk = Desk(MemoryStore())
    await desk.service.append("s", said(8))
    job_id = await desk.take()
    assert job_id is not None
    dead = await desk.store.claim(job_id, "dies", lease_ms=0)
    assert dead is not None
    assert len((await desk.service.context("s")).messages) == 8
    assert await desk.store.due_jobs(10) == [job_id]
    await desk.queue.send(job_id)
    await desk.work()
    job = await desk.store.read_job(job_id)
    assert job is not None
    assert (job.state, job.tries) == (JobState.SUCCEEDED, 2)
    assert not await desk.store.renew(dead, 1000)


def _number(message: Message) -> int:
    return int(message.text.split()[1].rstrip("."))
