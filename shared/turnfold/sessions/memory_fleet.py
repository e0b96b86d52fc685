"""What operators see of all processes, in this one."""

from __future__ import annotations

from collections.abc import Mapping

from turnfold.sessions.fleet import WORKER_LIFETIME_MS, QueueState, WorkerState
from turnfold.sessions.memory_state import MemoryState


class MemoryFleet(MemoryState):
    """The part of the store that operators read."""

    async def add_counts(self, counts: Mapping[str, float]) -> None:
        for name, amount in counts.items():
            self._counts[name] += amount

    async def counts(self) -> dict[str, float]:
        return dict(self._counts)

    async def queue_state(self) -> QueueState:
        now = self._clock_ms()
        waiting = [job.look_at_ms for job in self._jobs.values() if not job.state.is_final]
        overdue = [at for at in waiting if at <= now]
        return QueueState(
            waiting=len(waiting),
            overdue=len(overdue),
            oldest_overdue_ms=now - min(overdue, default=now),
            sessions_waiting=len(self._waiting),
        )

    async def note_worker(self, worker: WorkerState) -> None:
        since = worker.seen_at_ms - WORKER_LIFETIME_MS
        self._workers = {name: one for name, one in self._workers.items() if one.seen_at_ms >= since}
        self._workers[worker.name] = worker

    async def forget_worker(self, name: str) -> None:
        self._workers.pop(name, None)

    async def workers(self) -> list[WorkerState]:
        since = self._clock_ms() - WORKER_LIFETIME_MS
        return sorted((one for one in self._workers.values() if one.seen_at_ms >= since), key=lambda one: one.name)
