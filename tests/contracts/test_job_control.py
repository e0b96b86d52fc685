"""Jobs that an operator tries again or cancels."""

from __future__ import annotations

import pytest

from tests.support.sessions import Desk, said
from turnfold.audit import audit
from turnfold.errors import Conflict, NotFound
from turnfold.operations.job_control import cancel_job, find_job, list_jobs, retry_job
from turnfold.sessions.job import Job, JobState
from turnfold.sessions.store import CommitWrite, SessionStore
from turnfold_workers.summarize import run_job


@pytest.fixture
def desk(store: SessionStore) -> Desk:
    return Desk(store)


async def claimed(desk: Desk) -> Job:
    await desk.service.append("s", said(8))
    job = await desk.store.claim(await desk.take() or "", "w", 60_000)
    assert job is not None
    return job


async def dead(desk: Desk) -> Job:
    job = await claimed(desk)
    await desk.store.finish(job, JobState.DEAD, reason="refused", error="the model said 400", plan_at_tokens=10**9)
    return await find_job(desk.service, job.id)


async def is_sound(desk: Desk) -> bool:
    return await audit(desk.store, desk.service.key("s"), desk.policy) == []


async def test_a_dead_job_is_tried_again_with_all_its_tries(desk: Desk) -> None:
    job = await dead(desk)

    again = await retry_job(desk.service, job.id)

    assert (again.state, again.tries, again.reason, again.finished_at_ms) == (JobState.QUEUED, 0, "", 0)
    assert (await desk.service.session("s")).pending_job == job.id
    assert await is_sound(desk)
    assert await desk.work() == 1
    done = await find_job(desk.service, job.id)
    assert (done.state, done.error) == (JobState.SUCCEEDED, "")


async def test_a_session_whose_job_was_tried_again_is_planned_as_before(desk: Desk) -> None:
    await retry_job(desk.service, (await dead(desk)).id)
    await desk.work()
    assert (await desk.service.append("s", said(8, 9))).job is not None


async def test_a_job_that_waits_for_its_next_try_is_tried_now(desk: Desk) -> None:
    job = await claimed(desk)
    await desk.store.release(job, delay_ms=60_000, error="429")
    assert await desk.store.claim(job.id, "w", 1000) is None

    await retry_job(desk.service, job.id)

    assert job.id in await desk.store.due_jobs(10)
    assert await desk.store.claim(job.id, "w", 1000) is not None


async def test_a_job_that_is_not_dead_is_not_tried_again(desk: Desk) -> None:
    job = await claimed(desk)
    with pytest.raises(Conflict, match="running"):
        await retry_job(desk.service, job.id)


async def test_a_dead_job_is_not_tried_again_beside_another_one_of_its_session(desk: Desk) -> None:
    job = await dead(desk)
    other = await desk.service.compact("s")
    with pytest.raises(Conflict, match=other.id):
        await retry_job(desk.service, job.id)


async def test_a_cancelled_job_frees_its_session_and_is_not_due(desk: Desk) -> None:
    await desk.service.append("s", said(8))
    job_id = (await desk.service.session("s")).pending_job

    cancelled = await cancel_job(desk.service, job_id)

    assert (cancelled.state, cancelled.reason) == (JobState.CANCELLED, "cancelled")
    assert cancelled.finished_at_ms > 0
    assert (await desk.service.session("s")).pending_job == ""
    assert await desk.store.claim(job_id, "w", 1000) is None
    assert job_id not in await desk.store.due_jobs(10)
    assert (await cancel_job(desk.service, job_id)).state is JobState.CANCELLED
    assert await is_sound(desk)


async def test_a_cancelled_job_is_planned_again_only_when_the_session_has_grown(desk: Desk) -> None:
    await desk.service.append("s", said(8))
    await cancel_job(desk.service, (await desk.service.session("s")).pending_job)
    assert (await desk.service.append("s", said(1, 9))).job is None
    assert (await desk.service.append("s", said(12, 10))).job is not None


async def test_what_a_worker_made_of_a_cancelled_job_is_not_taken(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    # given: a job that is cancelled in the very moment in which its worker commits
    await desk.service.append("s", said(8))
    job_id = await desk.take() or ""
    commit = desk.store.commit

    async def late(key: object, write: CommitWrite) -> object:
        await cancel_job(desk.service, job_id)
        return await commit(write.job.key, write)

    monkeypatch.setattr(desk.store, "commit", late)

    # when
    await run_job(desk.workshop, job_id)

    # then
    assert (await find_job(desk.service, job_id)).state is JobState.CANCELLED
    assert await desk.store.summaries(desk.service.key("s")) == {}
    assert len((await desk.service.context("s")).messages) == 8
    assert await is_sound(desk)


async def test_a_lease_of_a_cancelled_job_is_not_renewed(desk: Desk) -> None:
    job = await claimed(desk)
    await cancel_job(desk.service, job.id)
    assert not await desk.store.renew(job, 1000)
    assert not await desk.store.release(job, delay_ms=0, error="")
    assert not await desk.store.finish(job, JobState.DEAD, reason="", error="", plan_at_tokens=0)


async def test_a_job_that_has_ended_is_not_cancelled(desk: Desk) -> None:
    await desk.service.append("s", said(8))
    job_id = (await desk.service.session("s")).pending_job
    await desk.work()
    with pytest.raises(Conflict, match="succeeded"):
        await cancel_job(desk.service, job_id)


async def test_a_job_of_a_session_that_was_made_anew_is_not_tried_again(desk: Desk) -> None:
    job = await dead(desk)
    await desk.service.delete("s")
    await desk.service.append("s", said(1))
    with pytest.raises(NotFound):
        await retry_job(desk.service, job.id)


async def test_jobs_of_another_tenant_are_not_there(desk: Desk) -> None:
    job = await dead(desk)
    other = desk.service.for_tenant("other")
    for change in (find_job, retry_job, cancel_job):
        with pytest.raises(NotFound):
            await change(other, job.id)
    assert await list_jobs(other, None, None, 10) == ([], None)
