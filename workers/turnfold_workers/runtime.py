"""What a worker process does, apart from Celery: the work behind the tasks."""

from __future__ import annotations

from typing import Protocol


class Runtime(Protocol):
    """Made and used on the process's one event loop; its clients live as long as the process."""

    async def start(self) -> None:
        """Opens what the others need."""
        ...

    async def run_job(self, job_id: str) -> None:
        """Runs the job if it is still to be run, and is then this worker's; else does nothing."""
        ...

    async def sweep(self) -> None:
        """Looks for idle sessions, roll-ups and whatever else comes by schedule. Safe to run twice at once."""
        ...

    async def poll(self) -> int:
        """Looks for lost and due jobs, runs or sends them, and says how many there were."""
        ...

    def hand_back(self) -> None:
        """Breaks off the jobs that are at work, and leaves them to other workers. From the loop's thread."""
        ...

    async def close(self) -> None:
        """Closes what `start` opened. No other call follows."""
        ...
