"""The real work behind the tasks of one process: its store, its queue, its summarizer."""

from __future__ import annotations

import os
import socket

from turnfold import telemetry
from turnfold.jobs.queue import JobQueue
from turnfold.jobs.retries import RetryPolicy
from turnfold.settings import Settings
from turnfold.wiring import build_policy, build_queue, build_store, build_summarizer
from turnfold_workers.jobs_here import JobsHere
from turnfold_workers.summarize import Workshop, run_job
from turnfold_workers.sweeps import drop_expired_sessions, plan_due_sessions, resend_due_jobs

log = telemetry.logger(__name__)
# One worker of all looks for lost jobs at a time.
POLL_LOCK_MS = 1500


class WorkerRuntime:
    """Everything is built in `start`, on the loop that uses it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._jobs_here = JobsHere(self.run_job)
        self._workshop: Workshop | None = None
        self._queue: JobQueue | None = None

    async def start(self) -> None:
        settings = self._settings
        name = settings.summarizer_name
        log.info(telemetry.SUMMARIZER_CHOSEN, summarizer=name, model=settings.summary_model)
        self._workshop = Workshop(
            store=build_store(settings),
            summarizer=build_summarizer(name, settings),
            policy=build_policy(settings),
            worker=f"{socket.gethostname()}:{os.getpid()}",
            lease_seconds=settings.lease_seconds,
            retries=RetryPolicy(),
        )
        self._queue = build_queue(settings)

    async def run_job(self, job_id: str) -> None:
        workshop, queue = self._opened()
        further = await run_job(workshop, job_id)
        if further is not None:
            await queue.send(further.id, live=further.live)

    async def poll(self) -> int:
        workshop, queue = self._opened()
        if not await workshop.store.try_lock("poll", POLL_LOCK_MS):
            return 0
        left = await resend_due_jobs(workshop.store, queue)
        self._jobs_here.begin(left)
        return len(left)

    async def sweep(self) -> None:
        workshop, queue = self._opened()
        window_ms = int(self._settings.sweep_interval_seconds * 3000)
        since = await workshop.store.now_ms() - window_ms
        await drop_expired_sessions(workshop.store)  # first: it works in a store that is full, and makes room
        await plan_due_sessions(workshop.store, queue, workshop.policy, since_ms=since)

    async def close(self) -> None:
        workshop, queue = self._opened()
        await self._jobs_here.close()
        await queue.close()
        await workshop.store.close()

    def _opened(self) -> tuple[Workshop, JobQueue]:
        if self._workshop is None or self._queue is None:
            raise RuntimeError("start() comes first")
        return self._workshop, self._queue
