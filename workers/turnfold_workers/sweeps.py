"""What is looked for without being told: jobs that were lost, summaries that are due, sessions that expired."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from turnfold import telemetry
from turnfold.jobs.planning import plan
from turnfold.jobs.queue import JobQueue
from turnfold.policy import Policy
from turnfold.sessions.head import Head
from turnfold.sessions.index_state import live_counts
from turnfold.sessions.job import Job
from turnfold.sessions.recount import policy_of, recounted
from turnfold.sessions.session_key import SessionKey
from turnfold.sessions.store import SessionStore, Stale

log = telemetry.logger(__name__)
# A job that was sent is left alone for so long.
RESEND_AFTER_MS = 3000
BATCH = 200
# Sessions that a sweep looks at side by side.
SIDE_BY_SIDE = 32


async def resend_due_jobs(store: SessionStore, queue: JobQueue) -> tuple[int, list[str]]:
    """Sends the jobs that somebody should look at now. Returns how many, and those that no broker would take."""
    due = await store.due_jobs(BATCH)
    await store.postpone(due, RESEND_AFTER_MS)
    left: list[str] = []
    for job_id in due:
        sent = await queue.send(job_id)
        log.info(telemetry.JOB_RESENT, job=job_id, sent=sent)
        if not sent:
            left.append(job_id)
    return len(due), left


async def plan_due_sessions(store: SessionStore, queue: JobQueue, policy: Policy, *, since_ms: int) -> int:
    """Records and sends a job for each session active since then in which one is due; how many."""
    planned = looked_at = 0
    async for keys in store.recent_sessions(since_ms):
        looked_at += len(keys)
        for start in range(0, len(keys), SIDE_BY_SIDE):
            some = keys[start : start + SIDE_BY_SIDE]
            for job in await asyncio.gather(*(_plan(store, key, policy) for key in some)):
                if job is not None:
                    planned += 1
                    await queue.send(job.id, live=False)
    log.info(telemetry.SWEEP_DONE, planned=planned, looked_at=looked_at)
    return planned


async def drop_expired_sessions(store: SessionStore) -> int:
    """Takes sessions that expired out of every index; how many."""
    dropped = 0
    while some := await store.drop_expired(BATCH):
        dropped += some
    return dropped


async def _plan(store: SessionStore, key: SessionKey, default: Policy) -> Job | None:
    head = await store.read_head(key)
    if head is None or not head.state:
        return None
    head = await recounted(store, key, head, default)
    if head is None:
        return None
    policy = policy_of(head, default)
    head = await _without_lost_job(store, head)
    tokens = int(head.state["all"]["tokens"])
    job = plan(key, head, policy, live=live_counts(head.state), all_tokens=tokens, is_live=False)
    if job is None:
        return None
    wanted = replace(head, version=head.version + 1, pending_job=job.id)
    answer = await store.request_job(key, head.version, wanted, job)
    return None if isinstance(answer, Stale) or answer.id != job.id else answer


async def _without_lost_job(store: SessionStore, head: Head) -> Head:
    """The head; it waits for no job whose record is gone, as after a week without a worker."""
    if head.pending_job and await store.read_job(head.pending_job) is None:
        return replace(head, pending_job="")
    return head
