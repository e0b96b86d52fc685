"""One job: claim, load, summarize, commit. There is no Celery here: this is what tests call.

A worker that dies at any point leaves the session as it was; another one finds the job when the lease runs out, and
does not pay again for a reply that was kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

from turnfold import telemetry
from turnfold.compaction.selection import NOTHING_TO_DO, with_unsendable
from turnfold.compaction.summarization import SummarizationStrategy
from turnfold.errors import SummarizerDeferred, SummarizerError, SummarizerRefused, SummarizerTransient, Unavailable
from turnfold.groups import MessageGroup
from turnfold.index import MessageIndex
from turnfold.jobs.retries import RetryDecision
from turnfold.policy import Policy
from turnfold.sessions.head import Head
from turnfold.sessions.job import Job, JobState
from turnfold.sessions.recount import is_counted_by, policy_of, recounted
from turnfold.sessions.restore import restore_foldable, restore_live
from turnfold.sessions.store import Read
from turnfold.summaries.completed import completed, with_pins
from turnfold.summaries.summarizer import SummaryReply, SummaryRequest
from turnfold.triggers import Always, CompactionTrigger, Never
from turnfold_workers.commit import Landing, PinsMoved, land
from turnfold_workers.folded_before import folded_before
from turnfold_workers.paid_once import paid_reply
from turnfold_workers.pins import pins_for, summary_without_a_pin
from turnfold_workers.put_off import TOO_LITTLE, WORTH_FOLDING_TOKENS, put_off, too_little
from turnfold_workers.rebuilding import Rebuilding, rebuilding, to_rebuild
from turnfold_workers.trusted_sources import with_trusted_sources
from turnfold_workers.workshop import Workshop

__all__ = ["Workshop", "run_job"]

log = telemetry.logger(__name__)

HANDED_BACK = "handed back by its worker"


async def run_job(workshop: Workshop, job_id: str) -> Job | None:
    """Does the job if it may run now. Returns the job that its session needs next, if its commit recorded one."""
    job = await workshop.store.claim(job_id, workshop.worker, int(workshop.lease_seconds * 1000))
    if job is None:
        return None
    log.info(telemetry.JOB_CLAIMED, **job.log_context(), fence=job.fence, tries=job.tries)
    try:
        if job.tries - job.failures > workshop.retries.max_tries:  # each of them was lost with its worker
            raise SummarizerRefused(job.error or "its workers were lost")
        async with _held(workshop, job):
            return await _do(workshop, job)
    except asyncio.CancelledError:  # the worker ends, or this took too long: another one goes on, and does not wait
        with suppress(Unavailable):
            await asyncio.shield(workshop.store.release(job, delay_ms=0, error=HANDED_BACK))
        log.warning(telemetry.JOB_HANDED_BACK, **job.log_context())
        raise
    except Unavailable:
        raise  # nothing can be written down now; the lease runs out, and somebody else takes over
    except SummarizerError as error:
        await _failed(workshop, job, error)
    except Exception as error:
        log.exception(telemetry.JOB_FAILED, **job.log_context())
        await _failed(workshop, job, SummarizerTransient(f"{type(error).__name__} in the worker"))
    return None


async def _do(workshop: Workshop, job: Job) -> Job | None:
    read = await workshop.store.read_live(job.key)
    if read is None or read.head.incarnation != job.incarnation:
        return None  # erased meanwhile: the next claim finds that out and cancels
    if read.head.service_session_id:  # the service behind the model keeps the conversation, and folds it
        await _nothing_to_do(workshop, job, read.head, NOTHING_TO_DO, 0)
        return None
    policy = policy_of(read.head, workshop.policy)
    if not is_counted_by(read.head, policy):
        await recounted(workshop.store, job.key, read.head, workshop.policy)
        return await _do(workshop, job)
    if job.rebuild:
        return await _rebuild(workshop, job, read, policy)
    restored = restore_live if job.forced else restore_foldable
    index = restored(read.view, read.entries, read.head, policy.tokenizer)
    step, target = _step(policy, job)
    if job.until:
        target = folded_before(index, step, target, until=job.until)
    sources, reason, short_by = _sources(step, index, job, target)
    if not sources and (lacking := await summary_without_a_pin(workshop.store, job.key, read, index)) is not None:
        request = step.request(index, (lacking,))
        if await with_trusted_sources(workshop, job, read, [lacking], request) is not request:
            return await _anew(workshop, job, read, await rebuilding(workshop.store, job, index, step, [lacking]))
        return await _made_again(workshop, job, read, lacking, request=request)
    if not sources:
        await _nothing_to_do(workshop, job, read.head, reason or NOTHING_TO_DO, short_by)
        return None
    pins = await pins_for(workshop.store, job.key, read, sources)
    request = replace(step.request(index, sources), pins=pins)
    if (why_not := put_off(workshop, job, policy, index=index, sources=sources, request=request)) is not None:
        await _nothing_to_do(workshop, job, read.head, *why_not)
        return None
    request = await with_trusted_sources(workshop, job, read, sources, request)
    reply = completed(await paid_reply(workshop, job, step, request, read.head), request)
    return await _landed(workshop, job, reply, sources, read)


async def _rebuild(workshop: Workshop, job: Job, read: Read, policy: Policy) -> Job | None:
    """The session's summary made again from the originals, if it has one."""
    index = restore_live(read.view, read.entries, read.head, policy.tokenizer)
    step, _ = _step(policy, job)
    groups = to_rebuild(index, read.view.held)
    if not groups:
        await _nothing_to_do(workshop, job, read.head, NOTHING_TO_DO, 0)
        return None
    return await _anew(workshop, job, read, await rebuilding(workshop.store, job, index, step, groups))


async def _anew(workshop: Workshop, job: Job, read: Read, made: Rebuilding) -> Job | None:
    request = replace(made.request, pins=await pins_for(workshop.store, job.key, read, made.sources))
    reply = completed(await paid_reply(workshop, job, made.step, request, read.head), request)
    return await _landed(workshop, job, reply, made.sources, read)


async def _made_again(
    workshop: Workshop, job: Job, read: Read, group: MessageGroup, *, request: SummaryRequest
) -> Job | None:
    """A summary with a pin that was set since: the same text, and the pin. No model is asked."""
    request = replace(request, pins=await pins_for(workshop.store, job.key, read, [group]))
    told = group.messages[0].metadata
    reply = SummaryReply(
        text=with_pins(request),
        model=str(told.get("model")),
        prompt_version=told.get("prompt_version"),
        degraded=bool(told.get("degraded")),
    )
    return await _landed(workshop, job, reply, [group], read)


async def _landed(
    workshop: Workshop, job: Job, reply: SummaryReply, sources: Sequence[MessageGroup], read: Read
) -> Job | None:
    landing = Landing(
        job=job,
        policy=workshop.policy,
        reply=reply,
        sources=sources,
        pins=tuple(read.head.pins),
        signer=workshop.signer,
        prices=workshop.prices,
    )
    try:
        if reply.degraded:  # a hint, so it may come before what it tells of: a sweep looks whether it is so
            await workshop.store.look_later(job.key, int(workshop.retries.cool_down_seconds(1) * 1000))
        return await land(workshop.store, landing, read)
    except PinsMoved:
        return await _do(workshop, job)  # the reply that was kept is completed anew


async def _nothing_to_do(workshop: Workshop, job: Job, head: Head, reason: str, short_by: int) -> None:
    """The job has succeeded, and the next is planned when the log has grown by `short_by` tokens."""
    at = tokens_of(head) + short_by
    await workshop.store.finish(job, JobState.SUCCEEDED, reason=reason, error="", plan_at_tokens=at)
    log.info(telemetry.JOB_NOTHING_TO_DO, **job.log_context(), reason=reason)


def _step(policy: Policy, job: Job) -> tuple[SummarizationStrategy, CompactionTrigger | None]:
    """The step to do, and its target where that is not its own: none of those that no policy states, if forced."""
    steps = policy.summarizations
    number = min(job.step, len(steps) - 1)
    step = steps[number] if steps else SummarizationStrategy(trigger=Always())
    if job.forced:
        return step, None if step.target_is_stated else Never()
    return step, policy.target_of(number) if steps else None


def _sources(
    step: SummarizationStrategy, index: MessageIndex, job: Job, target: CompactionTrigger | None
) -> tuple[tuple[MessageGroup, ...], str | None, int]:
    """The groups to fold; if there are none, why, and by how many tokens the log should grow before the next try."""
    selection = step.select(index, bounded=False, target=target)
    sources = with_unsendable(index, selection.groups)
    if not sources:
        return (), selection.reason or NOTHING_TO_DO, max(1, step.min_source_tokens)
    if sum(group.token_count for group in sources) < WORTH_FOLDING_TOKENS:
        return (), too_little(job), WORTH_FOLDING_TOKENS
    fresh = sum(group.token_count for group in sources if not group.durable)
    if fresh < step.min_source_tokens and not (job.forced or job.until):
        return (), TOO_LITTLE, step.min_source_tokens - fresh
    return sources, None, 0


async def _failed(workshop: Workshop, job: Job, error: SummarizerError) -> None:
    """Later, or never: the retry policy decides by the kind of error, the number of tries, and the job's age."""
    decision = await _decision(workshop, job, error)
    if decision.delay_seconds is not None:
        is_try = not isinstance(error, SummarizerDeferred)
        delay_ms = int(decision.delay_seconds * 1000)
        await workshop.store.release(job, delay_ms=delay_ms, error=error.detail, is_try=is_try)
        log.warning(telemetry.JOB_RETRYING, **job.log_context(), delay=decision.delay_seconds, error=error.detail)
        return
    head = await workshop.store.read_head(job.key)
    if job.rebuild and head:  # the summary that is there stays, and nothing else waits for this one
        told = {"reason": decision.reason, "error": error.detail}
        cool_down = workshop.retries.cool_down_seconds(head.deaths + 1)
        await workshop.store.look_later(job.key, int(cool_down * 1000))  # the summary may be degraded
        await workshop.store.finish(job, JobState.DEAD, **told, plan_at_tokens=head.plan_at_tokens)
        log.error(telemetry.JOB_DEAD, **job.log_context(), **told)
        return
    at = tokens_of(head) + workshop.retries.growth_after_death(tokens_of(head)) if head else 0
    cool_down = workshop.retries.cool_down_seconds(head.deaths + 1 if head else 1)
    await workshop.store.look_later(job.key, int(cool_down * 1000))
    await workshop.store.finish(job, JobState.DEAD, reason=decision.reason, error=error.detail, plan_at_tokens=at)
    log.error(telemetry.JOB_DEAD, **job.log_context(), reason=decision.reason, error=error.detail)


async def _decision(workshop: Workshop, job: Job, error: SummarizerError) -> RetryDecision:
    lost = job.tries - job.failures > workshop.retries.max_tries
    if lost:
        return RetryDecision(None, f"gave up after {job.tries} tries")
    age_ms = max(0, await workshop.store.now_ms() - job.started_at_ms) if job.started_at_ms else 0
    transient = error if isinstance(error, SummarizerTransient) else None
    return workshop.retries.decide(
        tries=job.tries,
        kind=transient.kind if transient else None,
        retry_after_seconds=transient.retry_after_seconds if transient else None,
        age_seconds=age_ms / 1000,
    )


def tokens_of(head: Head) -> int:
    """Tokens of the whole log."""
    return int(head.state["all"]["tokens"]) if head.state else 0


@asynccontextmanager
async def _held(workshop: Workshop, job: Job) -> AsyncGenerator[None]:
    """Renews the lease while the work goes on, however long the model takes."""
    lease_ms = int(workshop.lease_seconds * 1000)

    async def renew() -> None:
        while True:
            await asyncio.sleep(workshop.lease_seconds * 0.3)
            with suppress(Exception):  # a store that is away for a moment; the commit is what decides
                if not await workshop.store.renew(job, lease_ms):
                    return

    beating = asyncio.create_task(renew())
    try:
        yield
    finally:
        beating.cancel()
        with suppress(asyncio.CancelledError):
            await beating
