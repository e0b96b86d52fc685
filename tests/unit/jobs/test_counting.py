"""What a worker counts: each claim once, and nothing that another worker did."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.sessions import Desk, said
from turnfold.errors import Unavailable
from turnfold.operations.sweeping import SweepReport
from turnfold.sessions.job import Job, JobState
from turnfold.sessions.memory_store import MemoryStore
from turnfold.summaries.quality_gate import Rejection
from turnfold.summaries.rejection_counts import count_rejection
from turnfold_workers.counting import WorkerCounts
from turnfold_workers.summarize import run_job


@pytest.fixture
def desk() -> Desk:
    return Desk(MemoryStore())


@pytest.fixture
def counts(desk: Desk) -> WorkerCounts:
    return WorkerCounts(desk.store, "tester")


async def folded(desk: Desk, session: str = "s") -> Job:
    """The session's first job, done."""
    await desk.service.append(session, said(9))
    job_id = await desk.take()
    assert job_id is not None
    return await done(desk, job_id)


async def done(desk: Desk, job_id: str) -> Job:
    await run_job(desk.workshop, job_id)
    job = await desk.store.read_job(job_id)
    assert job is not None
    return job


async def handed_over(desk: Desk, counts: WorkerCounts) -> dict[str, float]:
    await counts.hand_over(in_flight=2)
    return await desk.store.counts()


async def test_a_summary_is_counted_once_with_what_it_cost(desk: Desk, counts: WorkerCounts) -> None:
    job = await folded(desk)
    for _ in range(3):  # its message came again and again
        counts.count_job(job)

    seen = await handed_over(desk, counts)

    assert seen["jobs_ended_total,outcome=succeeded"] == 1
    assert seen["folds_total,ready=yes"] == 1
    assert seen["summary_tokens_total,kind=source"] == job.source_tokens > 0
    assert seen["summary_tokens_total,kind=summary"] == job.summary_tokens > 0
    assert sum(amount for name, amount in seen.items() if name.startswith("job_seconds,le=")) == 1
    assert sum(amount for name, amount in seen.items() if name.startswith("job_wait_seconds,le=")) == 1
    assert await handed_over(desk, counts) == seen


async def test_one_that_lands_after_the_user_spoke_again_was_late(desk: Desk, counts: WorkerCounts) -> None:
    await desk.service.append("s", said(9))
    job_id = await desk.take()
    assert job_id is not None
    await desk.service.append("s", said(2, 11))  # 11 is the user's
    counts.count_job(await done(desk, job_id))
    seen = await handed_over(desk, counts)
    assert "folds_total,ready=yes" not in seen
    assert seen["folds_total,ready=no"] == 1


async def test_the_reply_that_follows_does_not_make_it_late(desk: Desk, counts: WorkerCounts) -> None:
    await desk.service.append("s", said(9))  # the ninth is the user's
    job_id = await desk.take()
    assert job_id is not None
    await desk.service.append("s", said(1, 10))
    counts.count_job(await done(desk, job_id))
    assert (await handed_over(desk, counts))["folds_total,ready=yes"] == 1


@pytest.mark.parametrize(
    ("changed", "sample"),
    [
        ({"state": JobState.RETRYING}, "jobs_retried_total"),
        ({"state": JobState.DEAD}, "jobs_ended_total,outcome=dead"),
        ({"state": JobState.SUPERSEDED}, "jobs_ended_total,outcome=superseded"),
        ({"summary_id": ""}, "jobs_ended_total,outcome=nothing_to_do"),
    ],
)
async def test_what_else_becomes_of_a_job(
    desk: Desk, counts: WorkerCounts, changed: dict[str, object], sample: str
) -> None:
    job = await folded(desk)
    counts.count_job(replace(job, **changed))  # type: ignore[arg-type]
    seen = await handed_over(desk, counts)
    assert seen[sample] == 1
    assert not [name for name in seen if name.startswith(("job_seconds", "folds", "summary"))]


async def test_what_runs_still_and_what_another_worker_did_is_not_counted(desk: Desk, counts: WorkerCounts) -> None:
    job = await folded(desk)
    counts.count_job(replace(job, state=JobState.RUNNING))
    counts.count_job(replace(job, worker="another"))
    assert await handed_over(desk, counts) == {}


async def test_sweeps_resent_jobs_and_rejections_are_counted(desk: Desk) -> None:
    reason = next(iter(Rejection))
    count_rejection(reason, "before this worker")
    counts = WorkerCounts(desk.store, "tester")
    counts.count_sweep(SweepReport(due=5, enqueued=3))
    counts.count_resent(2)
    count_rejection(reason, "a-model")
    count_rejection(reason, "another")
    seen = await handed_over(desk, counts)
    assert (seen["sweeps_total"], seen["swept_jobs_total"], seen["jobs_resent_total"]) == (1, 3, 2)
    assert seen[f"replies_rejected_total,reason={reason}"] == 2
    assert await handed_over(desk, counts) == seen


async def test_counts_wait_for_a_store_that_is_away(
    desk: Desk, counts: WorkerCounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts.count_resent(2)

    async def away(_: object) -> None:
        raise Unavailable

    with monkeypatch.context() as patch:
        patch.setattr(desk.store, "add_counts", away)
        with pytest.raises(Unavailable):
            await counts.hand_over(in_flight=0)
    counts.count_resent(1)
    assert (await handed_over(desk, counts))["jobs_resent_total"] == 3


async def test_the_worker_is_seen_and_at_its_end_gone(desk: Desk, counts: WorkerCounts) -> None:
    await counts.hand_over(in_flight=2)
    (seen,) = await desk.store.workers()
    assert (seen.name, seen.in_flight) == ("tester", 2)
    await counts.end()
    assert await desk.store.workers() == []
