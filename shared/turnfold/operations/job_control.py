"""Jobs in an operator's hands: found, listed, tried again, cancelled."""

from __future__ import annotations

import re

from turnfold.errors import Conflict, NotFound
from turnfold.jobs.retries import RetryPolicy
from turnfold.service import TurnfoldService
from turnfold.sessions.head import Head
from turnfold.sessions.job import Job, JobState
from turnfold.sessions.session_key import SHARDS

# The store lists jobs of all states: how many it is asked for at a time, and how many are looked through for a page.
READ_AT_A_TIME = 200
MAX_LOOKED_AT = 5000

_JOB_ID = re.compile(r"([0-9]{3})-[0-9A-Za-z_-]{1,100}", re.ASCII)


async def find_job(service: TurnfoldService, job_id: str) -> Job:
    """
    Raises:
        NotFound: the tenant has no such job.
    """
    shape = _JOB_ID.fullmatch(job_id)
    job = await service.store.read_job(job_id) if shape and int(shape[1]) < SHARDS else None
    if job is None or job.tenant != service.tenant:
        raise NotFound(f"there is no job {job_id!r}")
    return job


async def list_jobs(
    service: TurnfoldService, state: JobState | None, behind: tuple[int, str] | None, limit: int
) -> tuple[list[Job], tuple[int, str] | None]:
    """Up to `limit` jobs of the state, newest first, and the place behind which the next page begins; None: no more.

    A page of one state may be short, or empty, and still have a next.
    """
    found: list[Job] = []
    for _ in range(MAX_LOOKED_AT // READ_AT_A_TIME):
        some = await service.store.list_jobs(service.tenant, behind, READ_AT_A_TIME)
        if not some:
            return found, None
        for job in some:
            if state in (None, job.state):
                if len(found) == limit:
                    return found, behind
                found.append(job)
            behind = (job.created_at_ms, job.id)
    return found, behind


async def retry_job(service: TurnfoldService, job_id: str) -> Job:
    """A dead job is queued anew, with all its tries; one that waits for its next try is tried now.

    Raises:
        NotFound: there is no such job.
        Conflict: it is in another state, or its session waits for another job, or is gone.
    """
    job = await find_job(service, job_id)
    revived = await service.store.revive(job)
    if revived is None:
        raise Conflict(await _why_not(service, job))
    service.moved(job.key, revived)
    return revived


async def cancel_job(service: TurnfoldService, job_id: str) -> Job:
    """Ends a job for good; what a worker makes of it is not taken. Its session is due again when it has grown.

    Raises:
        NotFound: there is no such job.
        Conflict: it has ended already.
    """
    job = await find_job(service, job_id)
    head = await service.store.read_head(job.key)
    cancelled = await service.store.cancel(job, plan_at_tokens=_grown(head))
    if cancelled is None:
        ended = await find_job(service, job_id)
        raise Conflict(f"the job {job_id} has ended: it is {ended.state}")
    service.moved(job.key)
    return cancelled


def _grown(head: Head | None) -> int:
    """At how many tokens of the log a job is due again: at half as many more."""
    tokens = int(head.state["all"]["tokens"]) if head and head.state else 0
    return tokens + RetryPolicy().growth_after_death(tokens)


async def _why_not(service: TurnfoldService, job: Job) -> str:
    present = await find_job(service, job.id)
    head = await service.store.read_head(job.key)
    if present.state not in (JobState.DEAD, JobState.RETRYING):
        return f"the job {job.id} is {present.state}; only a dead one, or one that waits, can be tried again"
    if head is None or head.incarnation != job.incarnation:
        return f"the session {job.session!r} of the job {job.id} is gone"
    return f"the session {job.session!r} waits for another job, {head.pending_job}"
