"""Jobs in this process: claims, leases, results, and what is due."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from turnfold import jsonio
from turnfold.sessions.job import Job, JobState
from turnfold.sessions.ledger import NOTHING_SPENT, Spent
from turnfold.sessions.memory_state import LOOK_AFTER_MS, MemoryState
from turnfold.sessions.session_key import SessionKey
from turnfold.sessions.store import CommitWrite, Stale


class MemoryJobs(MemoryState):
    """The part of the store that workers use."""

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
            self._jobs[job_id] = replace(job, state=state, finished_at_ms=now, error="")
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

    async def release(self, job: Job, *, delay_ms: int, error: str, is_try: bool = True) -> bool:
        present = self._jobs.get(job.id, job)
        counts = {"failures": present.failures + 1} if is_try else {"tries": present.tries - 1}
        at = self._clock_ms() + delay_ms
        return self._hold(job, state=JobState.RETRYING, look_at_ms=at, error=error or present.error, **counts)

    async def finish(self, job: Job, state: JobState, *, reason: str, error: str, plan_at_tokens: int) -> bool:
        if not self._holds(job):
            return False
        present = self._jobs[job.id]
        self._jobs[job.id] = replace(
            present, state=state, reason=reason, error=error, finished_at_ms=self._clock_ms()
        )  # fmt: skip
        session = self._find(job.key)
        if session and session.head.pending_job == job.id:
            version, deaths = session.head.version + 1, session.head.deaths + (state is JobState.DEAD)
            head = replace(session.head, version=version, deaths=deaths)
            session.head = replace(head, pending_job="", plan_at_tokens=plan_at_tokens)
        return True

    async def revive(self, job: Job) -> Job | None:
        present, session, now = self._jobs.get(job.id), self._find(job.key), self._clock_ms()
        if present is None or session is None or session.head.incarnation != present.incarnation:
            return None
        if present.state is JobState.RETRYING and session.head.pending_job == job.id:
            self._jobs[job.id] = replace(present, look_at_ms=now)
        elif present.state is JobState.DEAD and not session.head.pending_job:
            fresh = replace(
                present, state=JobState.QUEUED, reason="", tries=0, failures=0, started_at_ms=0, finished_at_ms=0
            )
            self._jobs[job.id] = replace(fresh, look_at_ms=now + LOOK_AFTER_MS)
            version = session.head.version + 1
            session.head = replace(session.head, pending_job=job.id, plan_at_tokens=0, version=version)
        else:
            return None
        return self._jobs[job.id]

    async def cancel(self, job: Job, *, plan_at_tokens: int) -> Job | None:
        present, session = self._jobs.get(job.id), self._find(job.key)
        if present is None or (present.state.is_final and present.state is not JobState.CANCELLED):
            return None
        if present.state is JobState.CANCELLED:
            return present
        now = self._clock_ms()
        self._jobs[job.id] = replace(
            present, state=JobState.CANCELLED, reason="cancelled", error="", finished_at_ms=now
        )
        if session and session.head.pending_job == job.id:
            head = replace(session.head, version=session.head.version + 1, fence=session.head.fence + 1)
            session.head = replace(head, pending_job="", plan_at_tokens=plan_at_tokens)
        return self._jobs[job.id]

    async def commit(self, key: SessionKey, write: CommitWrite) -> Job | Stale | None:
        session, job = self._find(key), self._jobs.get(write.job.id)
        if job is None or job.state is not JobState.RUNNING or job.fence != write.fence:
            return None
        head = session.head if session else None
        told = (write.job.incarnation, write.job.id, write.fence)
        if session is None or head is None or (head.incarnation, head.pending_job, head.fence) != told:
            self._jobs[job.id] = replace(job, state=JobState.SUPERSEDED, finished_at_ms=self._clock_ms(), error="")
            return None
        if head.version != write.expected_version:
            return Stale(head)
        self._set_head(key, write.head, is_activity=False).view = write.view.to_json()
        session.summaries[write.job.summary_id] = jsonio.dumps(write.summary)
        session.replies.clear()
        self._book(key.tenant, summaries=1)
        done = replace(write.job, state=JobState.SUCCEEDED, finished_at_ms=self._clock_ms(), tries=job.tries)
        self._jobs[job.id] = done
        if write.next_job is not None:
            self._record(write.next_job)
        return done

    async def keep_reply(
        self, key: SessionKey, incarnation: str, digest: str, reply: bytes, *, spent: Spent = NOTHING_SPENT
    ) -> bool:
        self._book(key.tenant, **asdict(spent))
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

    def _holds(self, job: Job) -> bool:
        present = self._jobs.get(job.id)
        return present is not None and present.state is JobState.RUNNING and present.fence == job.fence

    def _hold(self, job: Job, **changes: Any) -> bool:
        session = self._find(job.key)
        if not self._holds(job) or session is None or session.head.fence != job.fence:
            return False
        self._jobs[job.id] = replace(self._jobs[job.id], **changes)
        return True
