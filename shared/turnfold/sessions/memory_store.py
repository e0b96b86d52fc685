"""Sessions in this process: for tests and scripts. It obeys the same contract tests as the Redis store."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

from turnfold import jsonio
from turnfold.sessions.entry import Entry, NewEntry, read_entry
from turnfold.sessions.head import Head
from turnfold.sessions.job import Job, JobState
from turnfold.sessions.ledger import savings_of
from turnfold.sessions.memory_api_keys import MemoryApiKeys
from turnfold.sessions.memory_fleet import MemoryFleet
from turnfold.sessions.memory_made import MemoryMade
from turnfold.sessions.memory_provider import MemoryProvider
from turnfold.sessions.memory_state import MemorySession
from turnfold.sessions.memory_waiting import MemoryWaiting
from turnfold.sessions.session_key import SessionKey
from turnfold.sessions.store import Appended, AppendWrite, OtherBody, Read, RewriteWrite, Stale
from turnfold.sessions.store_health import StoreHealth
from turnfold.sessions.view import View


class MemoryStore(MemoryMade, MemoryWaiting, MemoryApiKeys, MemoryProvider, MemoryFleet):
    """A session store in memory. Each method runs without a pause, so each is atomic on one event loop.

    Args:
        clock_ms: the time, milliseconds since the epoch; a simulation brings its own.
    """

    async def read_head(self, key: SessionKey) -> Head | None:
        session = self._find(key)
        return session.head if session else None

    async def append(self, key: SessionKey, write: AppendWrite) -> Appended | Stale | OtherBody:
        session = self._find(key)
        if session and write.idempotency_key in session.answers:
            digest, answer = session.answers[write.idempotency_key]
            return replace(answer, repeated=True) if digest == write.digest else OtherBody()
        if (session.head.version if session else None) != write.expected_version:
            return Stale(session.head if session else None)
        session = self._set_head(key, write.head, is_activity=True)
        first = len(session.lines) + 1
        ids = tuple(self._take(session, entry) for entry in write.entries)
        if write.job is not None:
            self._record(write.job)
        answer = Appended(first, len(session.lines), ids, write.head.revision, write.rest, head=session.head)
        if write.idempotency_key:
            session.answers[write.idempotency_key] = (write.digest, answer)
        return answer

    async def read_turn(self, key: SessionKey, *, served: bool = False) -> Read | None:
        session = self._find(key)
        if session is None:
            return None
        if served:
            self._book(key.tenant, contexts=1, **savings_of(session.head.state))
        view = View.from_json(session.view)
        return self._picture(session, view, view.read, view.kept)

    async def read_live(self, key: SessionKey) -> Read | None:
        session = self._find(key)
        if session is None:
            return None
        view = View.from_json(session.view)
        return self._picture(session, view, view.live, view.kept_before_live)

    async def read_log(self, key: SessionKey, after: int, limit: int) -> Read | None:
        session = self._find(key)
        if session is None:
            return None
        entries = _entries(after + 1, session.lines[after : after + limit])
        return Read(session.head, View.from_json(session.view), entries)

    async def write_view(self, key: SessionKey, expected_version: int, head: Head, view: View) -> bool:
        session = self._find(key)
        if session is None or session.head.version != expected_version:
            return False
        self._set_head(key, head, is_activity=False).view = view.to_json()
        return True

    async def write_head(self, key: SessionKey, expected_version: int | None, head: Head) -> Head | Stale:
        session = self._find(key)
        if (session.head.version if session else None) != expected_version:
            return Stale(session.head if session else None)
        return self._set_head(key, head, is_activity=True).head

    async def request_job(self, key: SessionKey, expected_version: int, head: Head, job: Job) -> Job | Stale:
        session = self._find(key)
        if session and (pending := self._jobs.get(session.head.pending_job)):
            return pending
        if session is None or session.head.version != expected_version:
            return Stale(session.head if session else None)
        self._set_head(key, head, is_activity=False)
        return self._record(job)

    async def rewrite(self, key: SessionKey, write: RewriteWrite) -> Head | Stale:
        session = self._find(key)
        if session is None or session.head.version != write.expected_version:
            return Stale(session.head if session else None)
        if (pending := self._jobs.get(write.pending_job)) and not pending.state.is_final:
            ended = replace(pending, state=JobState.SUPERSEDED, reason=write.reason, error="")
            ended = replace(ended, finished_at_ms=self._clock_ms())
            self._jobs[pending.id] = ended
        self._set_head(key, write.head, is_activity=False).view = write.view.to_json()
        session.head = replace(session.head, fence=session.head.fence + 1)
        for position, line in write.lines.items():
            session.lines[position - 1] = line
        session.replies.clear()
        self._forget(session, write)
        if write.next_job is not None:
            self._record(write.next_job)
        return session.head

    async def delete(self, key: SessionKey) -> bool:
        existed = self._find(key) is not None
        self._sessions.pop(key, None)
        self._waiting.pop(key, None)
        self._jobs = {name: job for name, job in self._jobs.items() if job.key != key}
        return existed

    async def list_sessions(self, tenant: str, before: tuple[int, str] | None, limit: int) -> list[tuple[int, str]]:
        keys = [key for key in list(self._sessions) if key.tenant == tenant and self._find(key)]
        found = sorted(((self._sessions[key].head.last_active_at_ms, key.id) for key in keys), reverse=True)
        return [item for item in found if before is None or item < before][:limit]

    async def summaries(self, key: SessionKey) -> dict[str, dict[str, Any]]:
        session = self._find(key)
        return {name: jsonio.loads(text) for name, text in session.summaries.items()} if session else {}

    async def recent_sessions(self, since_ms: int) -> AsyncIterator[list[SessionKey]]:
        found = [key for key in list(self._sessions) if self._find(key)]
        if recent := [key for key in found if self._sessions[key].head.last_active_at_ms >= since_ms]:
            yield recent

    async def drop_expired(self, limit: int) -> int:
        now = self._clock_ms()
        over = [key for key, session in self._sessions.items() if session.head.expires_at_ms <= now][:limit]
        for key in over:
            del self._sessions[key]
        return len(over)

    async def health(self) -> StoreHealth:
        return StoreHealth(reachable=True, details={"server": "memory"})

    async def ping(self) -> None:
        """Memory is always there."""

    async def close(self) -> None:
        """Nothing is open."""

    def _forget(self, session: MemorySession, write: RewriteWrite) -> None:
        for message_id in write.message_ids:
            session.ids.pop(message_id, None)
        for summary_id in write.summaries:
            session.summaries.pop(summary_id, None)
        for name, (_, answer) in list(session.answers.items()):
            if any(answer.first <= position <= answer.last for position in write.erased):
                del session.answers[name]
        if write.erased:
            session.index = None
            session.marks.clear()

    def _take(self, session: MemorySession, entry: NewEntry) -> str:
        message_id = entry.given_id
        if not message_id or message_id in session.ids:
            message_id = f"{entry.spare_id}.{len(session.lines) + 1}"
        session.ids[message_id] = len(session.lines) + 1
        session.lines.append(entry.line(message_id))
        return message_id

    def _picture(self, session: MemorySession, view: View, start: int, kept: Sequence[int]) -> Read:
        entries = _entries(start, session.lines[start - 1 :])
        for position in kept:
            entries |= _entries(position, session.lines[position - 1 : position])
        return Read(session.head, view, entries)


def _entries(first: int, lines: Sequence[bytes]) -> dict[int, Entry]:
    found = (read_entry(position, line) for position, line in enumerate(lines, first))
    return {entry.position: entry for entry in found if entry is not None}
