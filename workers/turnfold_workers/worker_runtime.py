"""The real work behind the tasks of one process: its store, its queue, its summarizer."""

from __future__ import annotations

import asyncio
import os
import socket

from turnfold import telemetry
from turnfold.jobs.queue import JobQueue
from turnfold.jobs.retries import RetryPolicy
from turnfold.settings import Settings
from turnfold.wiring import build_policy, build_queue, build_store, build_summarizer
from turnfold_workers.summarize import Workshop, run_job
from turnfold_workers.sweeps import plan_due_sessions, resend_due_jobs

log = telemetry.logger(__name__)
# One worker of all looks for lost jobs at a time.
POLL_LOCK_MS = 1500
# Jobs that no broker would take are done here, so many side by side.
WITHOUT_BROKER = 4


class WorkerRuntime:
    """Everything is built in `start`, on the loop that uses it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._without_broker = asyncio.Semaphore(WITHOUT_BROKER)
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
        await asyncio.gather(*(self._run_here(job_id) for job_id in left))
        return len(left)

    async def sweep(self) -> None:
        workshop, queue = self._opened()
        window_ms = int(self._settings.sweep_interval_seconds * 3000)
        since = await workshop.store.now_ms() - window_ms
        await plan_due_sessions(workshop.store, queue, workshop.policy, since_ms=since)

    async def close(self) -> None:
        workshop, queue = self._opened()
        await queue.close()
        await workshop.store.close()

    async def _run_here(self, job_id: str) -> None:
        async with self._without_broker:
            await self.run_job(job_id)

    def _opened(self) -> tuple[Workshop, JobQueue]:
        if self._workshop is None or self._queue is None:
            raise RuntimeError("start() comes first")
        return self._workshop, self._queue
