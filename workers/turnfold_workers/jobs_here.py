"""Jobs that no broker would take: done in this process, a few side by side, while the looking goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable

from turnfold import telemetry

SIDE_BY_SIDE = 4
# How long jobs that are at work when the worker ends may go on. Those that don't end are found by another worker.
LAST_JOBS_SECONDS = 8.0

log = telemetry.logger(__name__)


class JobsHere:
    """
    Args:
        run_job: does one job, by its id.
    """

    def __init__(self, run_job: Callable[[str], Awaitable[None]]) -> None:
        self._run_job = run_job
        self._places = asyncio.Semaphore(SIDE_BY_SIDE)
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def begin(self, job_ids: Iterable[str]) -> None:
        """Returns at once. A job that waits here already, or is at work, is not begun again."""
        for job_id in job_ids:
            if job_id not in self._tasks:
                self._tasks[job_id] = asyncio.create_task(self._run(job_id))

    async def close(self) -> None:
        """Waits for those at work, for a while."""
        tasks = set(self._tasks.values())
        if not tasks:
            return
        _, late = await asyncio.wait(tasks, timeout=LAST_JOBS_SECONDS)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    async def _run(self, job_id: str) -> None:
        try:
            async with self._places:
                await self._run_job(job_id)
        except Exception as error:  # noqa: BLE001 - nobody awaits it, and the job is found again by its lease
            log.warning(telemetry.SUMMARIZE_FAILED, job_id=job_id, error=type(error).__name__)
        finally:
            del self._tasks[job_id]
