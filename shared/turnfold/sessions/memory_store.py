"""Sessions in this process: for tests and scripts. It obeys the same contract tests as the Redis store."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from turnfold import jsonio
from turnfold.sessions.entry import Entry, NewEntry, read_entry
from turnfold.sessions.head import Head
from turnfold.sessions.job import Job, JobState
from turnfold.sessions.session_key import SessionKey
from turnfold.sessions.store import Appended, AppendWrite, CommitWrite, OtherBody, Read, Stale
from turnfold.sessions.view import View

LOOK_AFTER_MS = 3000


@dataclass(slots=True)
class _Session:
    head: Head
    lines: list[bytes] = field(default_factory=list[bytes])
    ids: dict[str, int] = field(default_factory=dict[str, int])
    view: bytes = b""
    summaries: dict[str, bytes] = field(default_factory=dict[str, bytes])
    answers: dict[str, tuple[str, Appended]] = field(default_factory=dict[str, tuple[str, Appended]])
    replies: dict[str, bytes] = field(default_factory=dict[str, bytes])


def _clock_ms() -> int:
    return int(time.time() * 1000)


class MemoryStore:
    """A session store in memory. Each method runs without a pause, so each is atomic on one event loop.

    Args:
        clock_ms: the time, milliseconds since the epoch; a simulation brings its own.
    """

    def __init__(self, clock_ms: Callable[[], int] = _clock_ms) -> None:
        self._clock_ms = clock_ms
        self._sessions: dict[SessionKey, _Session] = {}
        self._jobs: dict[str, Job] = {}
        self._locks: dict[str, int] = {}

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

    async def read_turn(self, key: SessionKey) -> Read | None:
        session = self._find(key)
        if session is None:
            return None
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
        if session and session.head.pending_job:
            return self._jobs[session.head.pending_job]
        if session is None or session.head.version != expected_version:
            return Stale(session.head if session else None)
        self._set_head(key, head, is_activity=False)
        return self._record(job)

    async def delete(self, key: SessionKey) -> bool:
        existed = self._find(key) is not None
        self._sessions.pop(key, None)
        self._jobs = {name: job for name, job in self._jobs.items() if job.key != key}
        return existed

    async def list_sessions(self, tenant: str, before: tuple[int, str] | None, limit: int) -> list[tuple[int, str]]:
        keys = [key for key in list(self._sessions) if key.tenant == tenant and self._find(key)]
        found = sorted(((self._sessions[key].head.last_active_at_ms, key.id) for key in keys), reverse=True)
        return [item for item in found if before is None or item < before][:limit]

    async def summaries(self, key: SessionKey) -> dict[str, dict[str, Any]]:
        session = self._find(key)
        return {name: jsonio.loads(text) for name, text in session.summaries.items()} if session else {}

    async def read_job(self, job_id: str) -> Job | None:
        return self._jobs.get(job_id)

    async def list_jobs(self, tenant: str, before: tuple[int, str] | None, limit: int) -> list[Job]:
        jobs = [job for job in self._jobs.values() if job.tenant == tenant]
        jobs.sort(key=lambda job: (job.created_at_ms, job.id), reverse=True)
        return [job for job in jobs if before is None or (job.created_at_ms, job.id) < before][:limit]

    async def claim(self, job_id: str, worker: str, lease_ms: int) -> Job | None:
        job = self._jobs.get(job_id)
        if job is None or job.state.is_final:
            return None
        session, now = self._find(job.key), self._clock_ms()
        is_same = session is not None and session.head.incarnation == job.incarnation
        if session is None or not is_same or session.head.pending_job != job_id:
            state = JobState.SUPERSEDED if is_same else JobState.CANCELLED
            self._jobs[job_id] = replace(job, state=state, finished_at_ms=now)
            return None
        if job.state is not JobState.QUEUED and job.look_at_ms > now:
            return None
        session.head = replace(session.head, fence=session.head.fence + 1)
        claimed = replace(job, state=JobState.RUNNING, fence=session.head.fence, tries=job.tries + 1, worker=worker)
        started = job.started_at_ms or now
        self._jobs[job_id] = replace(claimed, look_at_ms=now + lease_ms, started_at_ms=started)
        return self._jobs[job_id]

    async def renew(self, job: Job, lease_ms: int) -> bool:
        return self._hold(job, state=JobState.RUNNING, look_at_ms=self._clock_ms() + lease_ms)

    async def release(self, job: Job, *, delay_ms: int, error: str) -> bool:
        return self._hold(job, state=JobState.RETRYING, look_at_ms=self._clock_ms() + delay_ms, error=error)

    async def finish(self, job: Job, state: JobState, *, reason: str, error: str, plan_at_tokens: int) -> bool:
        if not self._holds(job):
            return False
        present = self._jobs[job.id]
        self._jobs[job.id] = replace(
            present, state=state, reason=reason, error=error, finished_at_ms=self._clock_ms()
        )  # fmt: skip
        session = self._find(job.key)
        if session and session.head.pending_job == job.id:
            version = session.head.version + 1
            session.head = replace(session.head, pending_job="", plan_at_tokens=plan_at_tokens, version=version)
        return True

    async def commit(self, key: SessionKey, write: CommitWrite) -> Job | Stale | None:
        session, job = self._find(key), self._jobs.get(write.job.id)
        if job is None or job.state is not JobState.RUNNING or job.fence != write.fence:
            return None
        head = session.head if session else None
        told = (write.job.incarnation, write.job.id, write.fence)
        if session is None or head is None or (head.incarnation, head.pending_job, head.fence) != told:
            self._jobs[job.id] = replace(job, state=JobState.SUPERSEDED, finished_at_ms=self._clock_ms())
            return None
        if head.version != write.expected_version:
            return Stale(head)
        self._set_head(key, write.head, is_activity=False).view = write.view.to_json()
        session.summaries[write.job.summary_id] = jsonio.dumps(write.summary)
        done = replace(write.job, state=JobState.SUCCEEDED, finished_at_ms=self._clock_ms(), tries=job.tries)
        self._jobs[job.id] = done
        if write.next_job is not None:
            self._record(write.next_job)
        return done

    async def keep_reply(self, key: SessionKey, incarnation: str, digest: str, reply: bytes) -> bool:
        session = self._find(key)
        if session is None or session.head.incarnation != incarnation:
            return False
        session.replies[digest] = reply
        return True

    async def kept_reply(self, key: SessionKey, digest: str) -> bytes | None:
        session = self._find(key)
        return session.replies.get(digest) if session else None

    async def due_jobs(self, limit: int) -> list[str]:
        now = self._clock_ms()
        due = [job for job in self._jobs.values() if not job.state.is_final and job.look_at_ms <= now]
        return [job.id for job in sorted(due, key=lambda job: (job.look_at_ms, job.id))[:limit]]

    async def postpone(self, job_ids: Sequence[str], delay_ms: int) -> None:
        later = self._clock_ms() + delay_ms
        for job_id in job_ids:
            if (job := self._jobs.get(job_id)) and not job.state.is_final and job.state is JobState.QUEUED:
                self._jobs[job_id] = replace(job, look_at_ms=max(job.look_at_ms, later))

    async def recent_sessions(self, since_ms: int, limit: int) -> list[SessionKey]:
        found = [(session.head.last_active_at_ms, key) for key, session in self._sessions.items()]
        return [key for active, key in sorted(found) if active >= since_ms and self._find(key)][:limit]

    async def try_lock(self, name: str, hold_ms: int) -> bool:
        now = self._clock_ms()
        if self._locks.get(name, 0) > now:
            return False
        self._locks[name] = now + hold_ms
        return True

    async def now_ms(self) -> int:
        return self._clock_ms()

    async def ping(self) -> None:
        """Memory is always there."""

    async def close(self) -> None:
        """Nothing is open."""

    def _find(self, key: SessionKey) -> _Session | None:
        session = self._sessions.get(key)
        if session and session.head.expires_at_ms <= self._clock_ms():
            del self._sessions[key]
            return None
        return session

    def _set_head(self, key: SessionKey, head: Head, *, is_activity: bool) -> _Session:
        now, session = self._clock_ms(), self._sessions.get(key)
        if session is None:
            session = self._sessions[key] = _Session(replace(head, created_at_ms=now, last_active_at_ms=now, fence=0))
            return session
        kept = session.head
        active = now if is_activity else kept.last_active_at_ms
        session.head = replace(
            head, fence=kept.fence, created_at_ms=kept.created_at_ms, last_active_at_ms=active
        )  # fmt: skip
        return session

    def _take(self, session: _Session, entry: NewEntry) -> str:
        message_id = entry.given_id
        if not message_id or message_id in session.ids:
            message_id = f"{entry.spare_id}.{len(session.lines) + 1}"
        session.ids[message_id] = len(session.lines) + 1
        session.lines.append(entry.line(message_id))
        return message_id

    def _record(self, job: Job) -> Job:
        now = self._clock_ms()
        self._jobs[job.id] = replace(job, created_at_ms=now, look_at_ms=now + LOOK_AFTER_MS)
        return self._jobs[job.id]

    def _picture(self, session: _Session, view: View, start: int, kept: Sequence[int]) -> Read:
        entries = _entries(start, session.lines[start - 1 :])
        for position in kept:
            entries |= _entries(position, session.lines[position - 1 : position])
        return Read(session.head, view, entries)

    def _holds(self, job: Job) -> bool:
        present = self._jobs.get(job.id)
        return present is not None and present.state is JobState.RUNNING and present.fence == job.fence

    def _hold(self, job: Job, **changes: Any) -> bool:
        session = self._find(job.key)
        if not self._holds(job) or session is None or session.head.fence != job.fence:
            return False
        self._jobs[job.id] = replace(self._jobs[job.id], **changes)
        return True


def _entries(first: int, lines: Sequence[bytes]) -> dict[int, Entry]:
    found = (read_entry(position, line) for position, line in enumerate(lines, first))
    return {entry.position: entry for entry in found if entry is not None}
