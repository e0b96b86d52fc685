"""One job: claim, load, summarize, commit. There is no Celery here: this is what tests call.

A worker that dies at any point leaves the session as it was; another one finds the job when the lease runs out, and
does not pay again for a reply that was kept.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

from turnfold import jsonio, telemetry
from turnfold.compaction.selection import NOTHING_TO_DO, with_unsendable
from turnfold.compaction.summarization import SMALLEST_SUMMARY_TOKENS, SummarizationStrategy
from turnfold.errors import SummarizerError, SummarizerTransient, Unavailable
from turnfold.groups import MessageGroup
from turnfold.index import MessageIndex
from turnfold.jobs.retries import RetryPolicy
from turnfold.policy import Policy
from turnfold.sessions.head import Head
from turnfold.sessions.job import Job, JobState
from turnfold.sessions.recount import is_counted_by, policy_of, recounted
from turnfold.sessions.restore import restore_live
from turnfold.sessions.store import SessionStore
from turnfold.summaries.parts import summarize_in_parts
from turnfold.summaries.prompt import PROMPT_VERSION
from turnfold.summaries.summarizer import Summarizer, SummaryReply, SummaryRequest
from turnfold.triggers import Always, Never
from turnfold_workers.commit import Landing, land

log = telemetry.logger(__name__)
TOO_LITTLE = "too_little_to_fold"
# Twice the smallest summary: with less, whatever is written would hardly be shorter. Forced or not.
WORTH_FOLDING_TOKENS = 2 * SMALLEST_SUMMARY_TOKENS


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """What a job needs: opened once a process, shared by all its jobs."""

    store: SessionStore
    summarizer: Summarizer
    policy: Policy
    worker: str
    lease_seconds: float
    retries: RetryPolicy


async def run_job(workshop: Workshop, job_id: str) -> Job | None:
    """Does the job if it may run now. Returns the job that its session needs next, if its commit recorded one."""
    job = await workshop.store.claim(job_id, workshop.worker, int(workshop.lease_seconds * 1000))
    if job is None:
        return None
    log.info(telemetry.JOB_CLAIMED, **job.log_context(), fence=job.fence, tries=job.tries)
    try:
        if job.tries > workshop.retries.max_tries:  # each of them was lost with its worker
            raise SummarizerTransient(job.error or "its workers were lost")
        async with _held(workshop, job):
            return await _do(workshop, job)
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
    index = restore_live(read.view, read.entries, read.head, policy.tokenizer)
    step = _step(policy, job)
    sources, reason, short_by = _sources(step, index, job)
    if not sources:
        await _nothing_to_do(workshop, job, read.head, reason or NOTHING_TO_DO, short_by)
        return None
    request = step.request(index, sources)
    reply = await _reply(workshop, job, step, request)
    return await land(workshop.store, Landing(job=job, policy=workshop.policy, reply=reply, sources=sources), read)


async def _nothing_to_do(workshop: Workshop, job: Job, head: Head, reason: str, short_by: int) -> None:
    """The job has succeeded, and the next is planned when the log has grown by `short_by` tokens."""
    at = tokens_of(head) + short_by
    await workshop.store.finish(job, JobState.SUCCEEDED, reason=reason, error="", plan_at_tokens=at)
    log.info(telemetry.JOB_NOTHING_TO_DO, **job.log_context(), reason=reason)


def _step(policy: Policy, job: Job) -> SummarizationStrategy:
    steps = policy.summarizations
    return steps[min(job.step, len(steps) - 1)] if steps else SummarizationStrategy(trigger=Always())


def _sources(
    step: SummarizationStrategy, index: MessageIndex, job: Job
) -> tuple[tuple[MessageGroup, ...], str | None, int]:
    """The groups to fold; if there are none, why, and by how many tokens the log should grow before the next try."""
    target = Never() if job.forced and not step.target_is_stated else None
    selection = step.select(index, bounded=False, target=target)
    sources = with_unsendable(index, selection.groups)
    if not sources:
        return (), selection.reason or NOTHING_TO_DO, max(1, step.min_source_tokens)
    if sum(group.token_count for group in sources) < WORTH_FOLDING_TOKENS:
        return (), NOTHING_TO_DO if job.forced else TOO_LITTLE, WORTH_FOLDING_TOKENS
    fresh = sum(group.token_count for group in sources if not group.durable)
    if fresh < step.min_source_tokens and not job.forced:
        return (), TOO_LITTLE, step.min_source_tokens - fresh
    return sources, None, 0


async def _reply(
    workshop: Workshop,
    job: Job,
    step: SummarizationStrategy,
    request: SummaryRequest,
) -> SummaryReply:
    """The reply for these sources, paid for once: one that was kept is used again."""
    digest = _digest(workshop, job, request)
    if (kept := await workshop.store.kept_reply(job.key, digest)) is not None:
        log.info(telemetry.REPLY_REUSED, **job.log_context())
        return SummaryReply(**jsonio.loads(kept))
    began = time.perf_counter()
    reply = await summarize_in_parts(
        request,
        workshop.summarizer,
        max_input_tokens=step.max_summary_input_tokens,
        fallback=step.fallback_summarizer("extractive"),
    )
    reply = replace(reply, text=_whole_characters(reply.text))
    if not reply.degraded:  # what the fallback wrote cost nothing, and must not keep the model from being asked again
        await workshop.store.keep_reply(job.key, job.incarnation, digest, jsonio.dumps(asdict(reply)))
        log.info(telemetry.REPLY_KEPT, **job.log_context(), model=reply.model, seconds=time.perf_counter() - began)
    return reply


def _whole_characters(text: str) -> str:
    """The text with a mark for each half of a character: models leave some where they are cut off, and the store's
    scripts can't read them."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _digest(workshop: Workshop, job: Job, request: SummaryRequest) -> str:
    """What a reply depends on: whose conversation it is, the very words that are folded, prompt, model.

    The words, and not where they stand: conversations of one shape have the same groups at the same positions.
    """
    told: list[Any] = [
        [job.tenant, job.session, job.incarnation],
        [request.messages, request.earlier, request.source_tokens, request.max_tokens],
        request.prompt or PROMPT_VERSION,
        request.model or workshop.summarizer.name,
    ]
    return hashlib.sha256(jsonio.dumps(told)).hexdigest()


async def _failed(workshop: Workshop, job: Job, error: SummarizerError) -> None:
    """Later, or never: the retry policy decides by the kind of error and the number of tries."""
    retry_after = error.retry_after_seconds if isinstance(error, SummarizerTransient) else None
    transient = isinstance(error, SummarizerTransient)
    decision = workshop.retries.decide(tries=job.tries, is_transient=transient, retry_after_seconds=retry_after)
    if decision.delay_seconds is not None:
        await workshop.store.release(job, delay_ms=int(decision.delay_seconds * 1000), error=error.detail)
        log.warning(telemetry.JOB_RETRYING, **job.log_context(), delay=decision.delay_seconds, error=error.detail)
        return
    head = await workshop.store.read_head(job.key)
    at = tokens_of(head) + workshop.retries.growth_after_death(tokens_of(head)) if head else 0
    await workshop.store.finish(job, JobState.DEAD, reason=decision.reason, error=error.detail, plan_at_tokens=at)
    log.error(telemetry.JOB_DEAD, **job.log_context(), reason=decision.reason, error=error.detail)


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
