"""The real work behind the tasks of one process: its store, its queue, its summarizer."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from turnfold import telemetry
from turnfold.errors import Unavailable
from turnfold.jobs.queue import JobQueue
from turnfold.operations.sweeping import SweepRequest, announce_policy, sweep
from turnfold.recall.indexing import index_session
from turnfold.service import TurnfoldService
from turnfold.sessions.job import Job
from turnfold.settings import Settings
from turnfold.wiring import build_policy, build_queue, build_store
from turnfold_workers.counting import WorkerCounts
from turnfold_workers.jobs_here import JobsHere
from turnfold_workers.summarize import run_job
from turnfold_workers.sweeps import drop_expired_sessions, resend_due_jobs
from turnfold_workers.workshop import Workshop, workshop_of

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
        self._counts: WorkerCounts | None = None
        self._telling: asyncio.Task[None] | None = None
        self._at_work: set[asyncio.Task[Any]] = set()

    async def start(self) -> None:
        settings = self._settings
        name = settings.summarizer_name
        log.info(telemetry.SUMMARIZER_CHOSEN, summarizer=name, model=settings.summary_model)
        self._workshop = workshop_of(settings, build_store(settings), build_policy(settings))
        self._counts = WorkerCounts(self._workshop.store, self._workshop.worker)
        self._queue = build_queue(settings)
        self._telling = asyncio.create_task(announce_policy(self._service()))

    async def run_job(self, job_id: str) -> None:
        workshop, queue = self._opened()
        further = await self._run(workshop, job_id)
        if further is not None:
            await queue.send(further.id, live=further.live)
        await self._see_what_came_of(job_id)

    async def _run(self, workshop: Workshop, job_id: str) -> Job | None:
        task = asyncio.ensure_future(run_job(workshop, job_id))
        self._at_work.add(task)
        task.add_done_callback(self._at_work.discard)
        try:
            return await task
        finally:
            task.cancel()  # this was, while it waited

    def hand_back(self) -> None:
        for task in self._at_work:
            task.cancel()

    async def poll(self) -> int:
        found = await self._look_for_lost_jobs()
        await self._counted().hand_over(in_flight=len(self._at_work))  # last: it must not keep lost jobs lost
        return found

    async def _look_for_lost_jobs(self) -> int:
        workshop, queue = self._opened()
        if not await workshop.store.try_lock("poll", POLL_LOCK_MS):
            return 0
        due, left = await resend_due_jobs(workshop.store, queue)
        self._counted().count_resent(due)
        self._jobs_here.begin(left)
        return len(left)

    async def sweep(self) -> None:
        service = self._service()
        await drop_expired_sessions(service.store)  # first: it works in a store that is full, and makes room
        self._counted().count_sweep(await sweep(service, SweepRequest()))

    async def close(self) -> None:
        workshop, queue = self._opened()
        await self._jobs_here.close()
        if self._telling is not None:
            self._telling.cancel()
        await queue.close()
        with suppress(Unavailable):
            await self._counted().end()
        await workshop.store.close()

    async def _see_what_came_of(self, job_id: str) -> None:
        """Counts how the job ended, and brings the session's search index up to date.

        Nothing waits for that: what the index lacks, a search reads itself.
        """
        workshop, _ = self._opened()
        try:
            job = await workshop.store.read_job(job_id)
            if job is None:
                return
            self._counted().count_job(job)
            if job.summary_id and await index_session(workshop.store, job.key):
                log.info(telemetry.SESSION_INDEXED, **job.log_context())
        except Exception as error:  # noqa: BLE001 - the job is done
            log.warning(telemetry.INDEX_FAILED, job=job_id, error=type(error).__name__)

    def _counted(self) -> WorkerCounts:
        if self._counts is None:
            raise RuntimeError("start() comes first")
        return self._counts

    def _service(self) -> TurnfoldService:
        """The service that the API offers, on this worker's store and queue."""
        workshop, queue = self._opened()
        ttl_seconds = self._settings.session_ttl_seconds
        return TurnfoldService(store=workshop.store, queue=queue, policy=workshop.policy, ttl_seconds=ttl_seconds)

    def _opened(self) -> tuple[Workshop, JobQueue]:
        if self._workshop is None or self._queue is None:
            raise RuntimeError("start() comes first")
        return self._workshop, self._queue
