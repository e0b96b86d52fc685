"""What a worker tells operators: how its jobs ended, what they cost, and that it lives."""

from __future__ import annotations

from collections import Counter, deque
from importlib.metadata import version

from turnfold.errors import Unavailable
from turnfold.metrics import names
from turnfold.metrics.tally import Tally
from turnfold.operations.sweeping import SweepReport
from turnfold.sessions.fleet import WorkerState
from turnfold.sessions.job import Job, JobState
from turnfold.sessions.store import SessionStore
from turnfold.summaries.rejection_counts import rejection_counts

# Claims that were counted are remembered, so that a message that comes twice counts once.
REMEMBERED = 1000
NOTHING_TO_DO = "nothing_to_do"


class WorkerCounts:
    """Counts of one process, handed to the store every now and then.

    Args:
        worker: its name.
    """

    def __init__(self, store: SessionStore, worker: str) -> None:
        self._store, self._worker = store, worker
        self._tally = Tally()
        self._counted: deque[tuple[str, int]] = deque(maxlen=REMEMBERED)
        self._rejections = _rejections()  # those before are none of this one's
        self._started_at_ms = 0

    def count_job(self, job: Job) -> None:
        """Counts what became of a claim of this worker; of others and of what is still running nothing."""
        claim = (job.id, job.fence)
        if job.worker != self._worker or job.state is JobState.RUNNING or claim in self._counted:
            return
        self._counted.append(claim)
        if job.state is JobState.RETRYING:
            self._tally.count(names.JOBS_RETRIED)
        elif job.state.is_final:
            self._count_end(job)

    def count_resent(self, jobs: int) -> None:
        self._tally.count(names.JOBS_RESENT, jobs)

    def count_sweep(self, report: SweepReport) -> None:
        self._tally.count(names.SWEEPS)
        self._tally.count(names.SWEPT_JOBS, report.enqueued)

    async def hand_over(self, *, in_flight: int) -> None:
        """Adds what was counted to the store's counts, and says that the worker lives.

        Raises:
            Unavailable: the store is out of reach; nothing is lost by that.
        """
        now = await self._store.now_ms()
        self._started_at_ms = self._started_at_ms or now
        self._count_rejections()
        taken = self._tally.take()
        try:
            await self._store.add_counts({name: amount for name, amount in taken.items() if amount})
        except Unavailable:
            self._tally.give_back(taken)
            raise
        await self._store.note_worker(
            WorkerState(
                name=self._worker,
                seen_at_ms=now,
                started_at_ms=self._started_at_ms,
                in_flight=in_flight,
                version=version("turnfold"),
            )
        )

    async def end(self) -> None:
        """Hands over the last counts; the worker is no longer there."""
        await self.hand_over(in_flight=0)
        await self._store.forget_worker(self._worker)

    def _count_end(self, job: Job) -> None:
        landed = job.state is JobState.SUCCEEDED and bool(job.summary_id)
        idle = job.state is JobState.SUCCEEDED and not landed
        self._tally.count(names.JOBS_ENDED, outcome=NOTHING_TO_DO if idle else str(job.state))
        if job.started_at_ms and job.created_at_ms:
            self._tally.observe(names.JOB_WAIT_SECONDS, max(0, job.started_at_ms - job.created_at_ms) / 1000)
        if not landed:
            return
        self._tally.observe(names.JOB_SECONDS, max(0, job.finished_at_ms - job.started_at_ms) / 1000)
        for kind in ("source", "summary", "prompt", "completion"):
            self._tally.count(names.SUMMARY_TOKENS, getattr(job, f"{kind}_tokens"), kind=kind)
        self._tally.count(names.SUMMARY_COST, job.cost)
        if job.live and not job.forced and not job.rebuild:
            self._tally.count(names.FOLDS, ready="no" if job.late else "yes")

    def _count_rejections(self) -> None:
        before, self._rejections = self._rejections, _rejections()
        for reason, count in (self._rejections - before).items():
            self._tally.count(names.REPLIES_REJECTED, count, reason=reason)


def _rejections() -> Counter[str]:
    """Refused replies of this process by reason, whichever model gave them: models have no bound."""
    by_reason: Counter[str] = Counter()
    for (reason, _), count in rejection_counts().items():
        by_reason[reason] += count
    return by_reason
