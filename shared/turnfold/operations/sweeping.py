"""A sweep: sessions and jobs that nobody comes to by themselves. It costs as much as there is due.

Most sessions are planned for when a message comes. Left for a sweep are jobs whose message was lost, sessions whose job
died a while ago, whose summary the fallback wrote or that were given another policy, and, once after the service's own
policy has changed, all those that live by it.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field, replace

from turnfold import telemetry
from turnfold.errors import Conflict, NotFound, Unavailable
from turnfold.jobs.estimate import Estimate, estimated, estimated_anew
from turnfold.jobs.planning import plan
from turnfold.jobs.prices import Prices
from turnfold.operations.rebuilding import request_rebuild
from turnfold.policy import Policy
from turnfold.service import TurnfoldService
from turnfold.sessions.head import Head
from turnfold.sessions.index_state import live_counts
from turnfold.sessions.job import Job
from turnfold.sessions.recount import policy_of, recounted
from turnfold.sessions.session_key import SessionKey

log = telemetry.logger(__name__)
# What one sweep enqueues at most, where nothing else is said: with its interval a bound on the rate.
LIMIT = 1000
# What is looked through at most: more than that waits for the next sweep.
MAX_LOOKED_AT = 100_000
# A job that was sent is left alone for so long.
RESEND_AFTER_MS = 3000
# A summary of the fallback's is asked for again so often: the waits double from ten minutes on, and add up to a day.
MAX_REMAKES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepRequest:
    """
    Attributes:
        idle_seconds: only sessions that were not written to for so long.
        limit: enqueues at most so many.
        dry_run: enqueues nothing.
        tenant: whose sessions; None: everybody's.
    """

    idle_seconds: float = 0.0
    limit: int = LIMIT
    dry_run: bool = False
    tenant: str | None = None


@dataclass(slots=True)
class SweepReport:
    """What was due, how much of it was enqueued, and about what all that is due costs."""

    due: int = 0
    enqueued: int = 0
    estimated_tokens: int = 0
    estimated_cost: float = 0.0

    def to_dict(self) -> dict[str, float]:
        return {
            "due": self.due,
            "enqueued": self.enqueued,
            "estimated_tokens": self.estimated_tokens,
            "estimated_cost": round(self.estimated_cost, 9),
        }


async def announce_policy(service: TurnfoldService) -> None:
    """Where sessions are planned by this policy, says so: a sweep by another one then knows that it is new.

    A store that is out of reach is told by the first sweep.
    """
    with suppress(Unavailable):
        await service.store.note_swept_policy(_digest(service.policy), first=True)


async def sweep(service: TurnfoldService, request: SweepRequest, *, prices: Prices | None = None) -> SweepReport:
    """Finds what is due and enqueues it, never two jobs a session. Safe to run twice at once."""
    sweeping = _Sweep(service, request, prices or Prices(), await service.store.now_ms())
    await sweeping.lost_jobs()
    await sweeping.waiting_sessions()
    await sweeping.sessions_of_another_policy()
    report = sweeping.report
    log.info(telemetry.SWEEP_DONE, planned=report.enqueued, looked_at=sweeping.looked_at, due=report.due)
    return report


@dataclass(slots=True)
class _Sweep:
    service: TurnfoldService
    request: SweepRequest
    prices: Prices
    now_ms: int
    report: SweepReport = field(default_factory=SweepReport)
    looked_at: int = 0

    async def lost_jobs(self) -> None:
        """Jobs whose message was lost, or whose worker was."""
        store = self.service.store
        for job_id in await store.due_jobs(MAX_LOOKED_AT):
            job = await store.read_job(job_id)
            if job is None or not self._is_meant(job.key):
                continue
            self.looked_at += 1
            head = await store.read_head(job.key)
            if head is None or head.pending_job != job_id or self._is_too_fresh(head):
                continue
            self._count(estimated(policy_of(head, self.service.policy), head, job.step))
            if self._may_enqueue:
                await store.postpone([job_id], RESEND_AFTER_MS)
                await self._send(job)

    async def waiting_sessions(self) -> None:
        """Sessions whose job died a while ago, whose summary is degraded, or that were given another policy."""
        for since_ms, key in await self.service.store.waiting_sessions(MAX_LOOKED_AT):
            if not self._is_meant(key):
                continue
            done = await self._look_at(key) and await self._make_again(key)
            if done and not self.request.dry_run:
                await self.service.store.looked_at(key, since_ms)

    async def _make_again(self, key: SessionKey) -> bool:
        """Has a summary that the fallback wrote made again; False: it is to be looked at again."""
        head = await self.service.store.read_head(key)
        if head is None or head.pending_job or head.service_session_id or head.deaths >= MAX_REMAKES:
            return True
        tokens = await self._degraded_tokens(key)
        if not tokens:
            return True
        if self._is_too_fresh(head):
            return False
        self._count(estimated_anew(policy_of(head, self.service.policy), tokens))
        if not self._may_enqueue:
            return False
        with suppress(Conflict, NotFound):  # another job was faster, and is followed by a look of its own; or erased
            await request_rebuild(self.service.for_tenant(key.tenant), key.id, live=False)
            self.report.enqueued += 1
        return True

    async def _degraded_tokens(self, key: SessionKey) -> int:
        """Of the sources of the session's degraded summaries; 0: it shows none."""
        read = await self.service.store.read_live(key)
        shown = [group for group in read.view.made if group.durable] if read else []
        if not any(group.messages[0].metadata.get("degraded") for group in shown):
            return 0
        records = await self.service.store.some_summaries(key, [group.id for group in shown])
        return sum(int(record["source_tokens"]) for record in records.values())

    async def sessions_of_another_policy(self) -> None:
        """All sessions, once after the service's own policy has changed."""
        store, tenant, digest = self.service.store, self.request.tenant or "", _digest(self.service.policy)
        known = await store.swept_policies(tenant)
        if not known:
            await announce_policy(self.service)
        if not known or digest in known:
            return
        done = True
        async for key in self._all_sessions():
            done = await self._look_at(key) and done
        if done and not self.request.dry_run:
            await store.note_swept_policy(digest, tenant)

    async def _all_sessions(self) -> AsyncIterator[SessionKey]:
        async for keys in self.service.store.recent_sessions(0):
            for key in keys:
                if self._is_meant(key):
                    yield key

    async def _look_at(self, key: SessionKey) -> bool:
        """Plans for the session if it is due; False: it is to be looked at again, since it is not idle, or the limit
        is reached."""
        self.looked_at += 1
        head = await self._present_head(key)
        if head is None:
            return True
        policy = policy_of(head, self.service.policy)
        job = self._due_job(key, head, policy)
        if job is None:
            return True
        if self._is_too_fresh(head):
            return False
        self._count(estimated(policy, head, job.step))
        if not self._may_enqueue:
            return False
        wanted = replace(head, version=head.version + 1, pending_job=job.id, plan_at_tokens=0)
        answer = await self.service.store.request_job(key, head.version, wanted, job)
        if isinstance(answer, Job) and answer.id == job.id:
            await self._send(answer)
        return isinstance(answer, Job)  # else it was written to just now

    async def _present_head(self, key: SessionKey) -> Head | None:
        """The session's head, counted by its policy; None where there is nothing to fold."""
        store = self.service.store
        head = await store.read_head(key)
        if head is None or not head.state:
            return None
        head = await recounted(store, key, head, self.service.policy)
        if head is not None and head.pending_job and await store.read_job(head.pending_job) is None:
            return replace(head, pending_job="")  # its record is lost
        return head

    def _due_job(self, key: SessionKey, head: Head, policy: Policy) -> Job | None:
        """The time to wait after a death is over: how much the log has grown is not asked."""
        tokens = max(int(head.state["all"]["tokens"]), head.plan_at_tokens)
        return plan(key, head, policy, live=live_counts(head.state), all_tokens=tokens, is_live=False)

    def _is_meant(self, key: SessionKey) -> bool:
        return self.request.tenant in (None, key.tenant)

    def _is_too_fresh(self, head: Head) -> bool:
        return head.last_active_at_ms > self.now_ms - self.request.idle_seconds * 1000

    @property
    def _may_enqueue(self) -> bool:
        return not self.request.dry_run and self.report.enqueued < self.request.limit

    def _count(self, estimate: Estimate) -> None:
        self.report.due += 1
        self.report.estimated_tokens += estimate.tokens
        self.report.estimated_cost += self.prices.of_summary(estimate.prompt_tokens, estimate.completion_tokens)

    async def _send(self, job: Job) -> None:
        self.report.enqueued += 1
        self.service.moved(job.key)
        await self.service.queue.send(job.id, live=job.live)


def _digest(policy: Policy) -> str:
    return hashlib.sha256(policy.json.encode()).hexdigest()[:16]
