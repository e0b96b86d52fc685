"""What is looked for without being told: jobs that were lost, and sessions in which a summary is due."""

from __future__ import annotations

from dataclasses import replace

from turnfold import telemetry
from turnfold.jobs.planning import plan
from turnfold.jobs.queue import JobQueue
from turnfold.policy import Policy
from turnfold.sessions.index_state import live_counts
from turnfold.sessions.job import Job
from turnfold.sessions.session_key import SessionKey
from turnfold.sessions.store import SessionStore, Stale

log = telemetry.logger(__name__)
# A job that was sent is left alone for so long.
RESEND_AFTER_MS = 3000
BATCH = 200


async def resend_due_jobs(store: SessionStore, queue: JobQueue) -> list[str]:
    """Sends the jobs that somebody should look at now. Returns those that no broker would take."""
    due = await store.due_jobs(BATCH)
    await store.postpone(due, RESEND_AFTER_MS)
    left: list[str] = []
    for job_id in due:
        sent = await queue.send(job_id)
        log.info(telemetry.JOB_RESENT, job=job_id, sent=sent)
        if not sent:
            left.append(job_id)
    return left


async def plan_due_sessions(store: SessionStore, queue: JobQueue, policy: Policy, *, since_ms: int) -> int:
    """Records and sends a job for each session active since then in which one is due; how many."""
    keys = await store.recent_sessions(since_ms, BATCH)
    planned = [job for key in keys if (job := await _plan(store, key, policy)) is not None]
    for job in planned:
        await queue.send(job.id, live=False)
    log.info(telemetry.SWEEP_DONE, planned=len(planned), looked_at=len(keys))
    return len(planned)


async def _plan(store: SessionStore, key: SessionKey, default: Policy) -> Job | None:
    head = await store.read_head(key)
    if head is None or not head.state:
        return None
    policy = Policy.from_json(head.policy) if head.policy else default
    tokens = int(head.state["all"]["tokens"])
    job = plan(key, head, policy, live=live_counts(head.state), all_tokens=tokens, is_live=False)
    if job is None:
        return None
    wanted = replace(head, version=head.version + 1, pending_job=job.id)
    answer = await store.request_job(key, head.version, wanted, job)
    return None if isinstance(answer, Stale) or answer.id != job.id else answer
