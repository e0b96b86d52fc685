"""A queue in this process, for tests and scripts."""

from __future__ import annotations

from collections import deque

from turnfold.errors import Unavailable
from turnfold.jobs.queue import JobQueue


class MemoryQueue(JobQueue):
    """Keeps to the rules of a real queue: live jobs first, else in order; an id sent twice comes twice.

    Set `is_down` to see what your code does without a broker: `send` then answers False, as it would.

        queue = MemoryQueue()
        await queue.send("job-1")
        assert queue.take() == "job-1"
    """

    def __init__(self) -> None:
        self.sent: list[str] = []
        """All ids ever handed over, in order."""
        self.is_down = False
        self._live: deque[str] = deque()
        self._sweep: deque[str] = deque()
        self._closed = False

    async def send(self, job_id: str, *, live: bool = True) -> bool:
        if self.is_down or self._closed:
            return False
        self.sent.append(job_id)
        (self._live if live else self._sweep).append(job_id)
        return True

    def take(self) -> str | None:
        """The id that a worker would get next, or None."""
        for waiting in (self._live, self._sweep):
            if waiting:
                return waiting.popleft()
        return None

    async def ping(self) -> None:
        if self.is_down or self._closed:
            raise Unavailable("the queue is down")

    async def close(self) -> None:
        self._closed = True
