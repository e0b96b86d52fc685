"""The summarizer's reply for a job's sources, paid for once."""

from __future__ import annotations

import hashlib
import time
from dataclasses import asdict, replace
from typing import Any

from turnfold import jsonio, telemetry
from turnfold.compaction.summarization import SummarizationStrategy
from turnfold.sessions.head import Head
from turnfold.sessions.job import Job
from turnfold.summaries.completed import wanted_from
from turnfold.summaries.parts import summarize_in_parts
from turnfold.summaries.prompt import prompt_version
from turnfold.summaries.summarizer import SummaryReply, SummaryRequest
from turnfold_workers.hidden_values import shown
from turnfold_workers.kept_parts import KeptParts, spent_on
from turnfold_workers.workshop import Workshop

log = telemetry.logger(__name__)


async def paid_reply(
    workshop: Workshop,
    job: Job,
    step: SummarizationStrategy,
    request: SummaryRequest,
    head: Head,
) -> SummaryReply:
    """The summarizer's reply for these sources, paid for once: one that was kept is used again.

    It is kept without what is added by rule, so that a pin set meanwhile costs no other call.
    """
    digest = _digest(workshop, job, request)
    if (kept := await workshop.store.kept_reply(job.key, digest)) is not None:
        log.info(telemetry.REPLY_REUSED, **job.log_context())
        return SummaryReply(**jsonio.loads(kept))
    began = time.perf_counter()
    parts = KeptParts(workshop, job, lambda part: _digest(workshop, job, part))
    leaving = await shown(workshop.store, workshop.redactor, job, head, wanted_from(request))
    reply = await summarize_in_parts(
        leaving.request,
        workshop.summarizer_for(job),
        max_input_tokens=step.max_summary_input_tokens,
        fallback=None if job.rebuild else step.fallback_summarizer("extractive"),
        keeping=parts,
    )
    reply = replace(reply, text=_whole_characters(leaving.undone(reply.text)))
    if not reply.degraded:  # what the fallback wrote cost nothing, and must not keep the model from being asked again
        left = reply.prompt_tokens - parts.prompt_tokens, reply.completion_tokens - parts.completion_tokens
        spent = spent_on(workshop, *left)  # parts are booked one by one
        kept_text = jsonio.dumps(asdict(reply))
        await workshop.store.keep_reply(job.key, job.incarnation, digest, kept_text, spent=spent)
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
        prompt_version(request.prompt),
        request.model or workshop.summarizer.name,
    ]
    return hashlib.sha256(jsonio.dumps(told)).hexdigest()
