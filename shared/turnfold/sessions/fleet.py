"""What operators see of all processes together: their counts, the queue, and which workers are alive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Protocol, Self

from turnfold import jsonio

# A worker that was not heard of for so long is gone. It tells of itself every two seconds.
WORKER_LIFETIME_MS = 15_000


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueState:
    """
    Attributes:
        waiting: jobs that are recorded and not ended, those at work among them.
        overdue: of them those that somebody should have looked at by now.
        oldest_overdue_ms: how long the oldest of these is overdue.
        sessions_waiting: that a sweep will look at.
    """

    waiting: int = 0
    overdue: int = 0
    oldest_overdue_ms: int = 0
    sessions_waiting: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerState:
    """One worker process, as it tells of itself.

    Attributes:
        name: host and process id.
        seen_at_ms, started_at_ms: by the store's clock.
        in_flight: jobs that it is at.
        version: of turnfold.
    """

    name: str
    seen_at_ms: int
    started_at_ms: int
    in_flight: int
    version: str

    def to_json(self) -> bytes:
        return jsonio.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: bytes) -> Self:
        values: Any = jsonio.loads(text)
        return cls(**values)


class FleetStore(Protocol):
    """The part of a session store that operators read."""

    async def add_counts(self, counts: Mapping[str, float]) -> None:
        """Adds to the counts of all processes."""
        ...

    async def counts(self) -> dict[str, float]:
        """The counts of all processes since the store began."""
        ...

    async def queue_state(self) -> QueueState: ...

    async def note_worker(self, worker: WorkerState) -> None:
        """The worker lives; those that were not heard of for long are forgotten."""
        ...

    async def forget_worker(self, name: str) -> None:
        """It has ended."""
        ...

    async def workers(self) -> list[WorkerState]:
        """Those heard of within `WORKER_LIFETIME_MS`, by name."""
        ...
