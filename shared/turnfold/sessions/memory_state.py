"""What the store in memory holds, and its clock."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from turnfold.sessions.api_keys import StoredKey
from turnfold.sessions.fleet import WorkerState
from turnfold.sessions.head import Head
from turnfold.sessions.job import Job
from turnfold.sessions.ledger import Ledger
from turnfold.sessions.made import StoredIndex
from turnfold.sessions.session_key import SessionKey
from turnfold.sessions.store import Appended

LOOK_AFTER_MS = 3000


@dataclass(slots=True)
class MemorySession:
    """A session; replies are kept by digest, answers by idempotency key."""

    head: Head
    lines: list[bytes] = field(default_factory=list[bytes])
    ids: dict[str, int] = field(default_factory=dict[str, int])
    view: bytes = b""
    summaries: dict[str, bytes] = field(default_factory=dict[str, bytes])
    answers: dict[str, tuple[str, Appended]] = field(default_factory=dict[str, tuple[str, Appended]])
    replies: dict[str, bytes] = field(default_factory=dict[str, bytes])
    index: StoredIndex | None = None
    marks: dict[str, str] = field(default_factory=dict[str, str])


def clock_ms() -> int:
    """The time, milliseconds since the epoch."""
    return int(time.time() * 1000)


class MemoryState:
    """Sessions, jobs, locks.

    Args:
        clock_ms: the time, milliseconds since the epoch; a simulation brings its own.
    """

    def __init__(self, clock_ms: Callable[[], int] = clock_ms) -> None:
        self._clock_ms = clock_ms
        self._sessions: dict[SessionKey, MemorySession] = {}
        self._jobs: dict[str, Job] = {}
        self._locks: dict[str, int] = {}
        self._api_keys: dict[str, StoredKey] = {}
        self._ledgers: defaultdict[str, Ledger] = defaultdict(Ledger)
        self._waiting: dict[SessionKey, int] = {}
        self._swept_policies: dict[str, str] = {}
        self._counts: defaultdict[str, float] = defaultdict(float)
        self._workers: dict[str, WorkerState] = {}

    async def try_lock(self, name: str, hold_ms: int) -> bool:
        now = self._clock_ms()
        if self._locks.get(name, 0) > now:
            return False
        self._locks[name] = now + hold_ms
        return True

    async def now_ms(self) -> int:
        return self._clock_ms()

    async def ledger(self, tenant: str) -> Ledger:
        return self._ledgers[tenant]

    def _book(self, tenant: str, **more: float) -> None:
        self._ledgers[tenant] = self._ledgers[tenant].plus(**more)

    def _find(self, key: SessionKey) -> MemorySession | None:
        session = self._sessions.get(key)
        if session and session.head.expires_at_ms <= self._clock_ms():
            del self._sessions[key]
            return None
        return session

    def _set_head(self, key: SessionKey, head: Head, *, is_activity: bool) -> MemorySession:
        now, session = self._clock_ms(), self._sessions.get(key)
        if session is None:
            session = self._sessions[key] = MemorySession(
                replace(head, created_at_ms=now, last_active_at_ms=now, fence=0)
            )
            return session
        kept = session.head
        active = now if is_activity else kept.last_active_at_ms
        session.head = replace(
            head, fence=kept.fence, created_at_ms=kept.created_at_ms, last_active_at_ms=active
        )  # fmt: skip
        return session

    def _record(self, job: Job) -> Job:
        now = self._clock_ms()
        self._jobs[job.id] = replace(job, created_at_ms=now, look_at_ms=now + LOOK_AFTER_MS)
        return self._jobs[job.id]
