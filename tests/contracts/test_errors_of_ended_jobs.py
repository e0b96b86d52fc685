"""The error of an earlier try is not told of a job that ended for another reason."""

from __future__ import annotations

from tests.support.sessions import Desk, said
from turnfold.operations.erasure import erase_message
from turnfold.operations.job_control import cancel_job
from turnfold.sessions.job import Job, JobState
from turnfold.sessions.store import SessionStore


async def failed_once(desk: Desk) -> Job:
    await desk.service.append("s", said(8))
    job = await desk.store.claim(await desk.take() or "", "w", 60_000)
    assert job is not None
    await desk.store.release(job, delay_ms=60_000, error="the model answered 429")
    return job


async def told(store: SessionStore, job: Job) -> tuple[JobState, str]:
    present = await store.read_job(job.id)
    assert present is not None
    return present.state, present.error


async def test_of_a_superseded_one(store: SessionStore) -> None:
    desk = Desk(store)
    job = await failed_once(desk)
    read = await desk.service.messages("s")

    await erase_message(desk.service, "s", read.entries[1].id)

    assert await told(store, job) == (JobState.SUPERSEDED, "")


async def test_of_a_cancelled_one(store: SessionStore) -> None:
    desk = Desk(store)
    job = await failed_once(desk)

    await cancel_job(desk.service, job.id)

    assert await told(store, job) == (JobState.CANCELLED, "")


async def test_a_dead_one_tells_why(store: SessionStore) -> None:
    desk = Desk(store)
    await desk.service.append("s", said(8))
    job = await store.claim(await desk.take() or "", "w", 60_000)
    assert job is not None

    await store.finish(job, JobState.DEAD, reason="refused", error="the model answered 400", plan_at_tokens=0)

    assert await told(store, job) == (JobState.DEAD, "the model answered 400")
