"""One summary: ask, judge, ask once more, fall back."""

from __future__ import annotations

from dataclasses import replace

from turnfold.errors import SummarizerRefused
from turnfold.summaries.quality_gate import rejection
from turnfold.summaries.summarizer import Summarizer, SummaryReply, SummaryRequest


async def summarize(
    request: SummaryRequest, summarizer: Summarizer, *, fallback: Summarizer | None = None
) -> SummaryReply:
    """A reply that passed the quality gate.

    A refused reply is asked for once more, more firmly; then the fallback is asked, and its reply marked `degraded`.

    Raises:
        SummarizerTransient: the summarizer could not answer now (the fallback is not asked: a later try may be better).
        SummarizerRefused: no reply passed; `detail` says why.
    """
    rejections: list[str] = []
    try:
        for stricter in (False, True):
            reply = await summarizer.summarize(replace(request, stricter=stricter))
            reason = rejection(reply, request)
            if reason is None:
                return replace(reply, rejections=tuple(rejections))
            rejections.append(reason)
            if reply.model == "extractive":  # the same words would come again
                break
    except SummarizerRefused as error:
        rejections.append(error.detail)
    if fallback is not None:
        reply = await fallback.summarize(request)
        if (reason := rejection(reply, request)) is None:
            return replace(reply, degraded=True, rejections=tuple(rejections))
        rejections.append(f"fallback: {reason}")
    raise SummarizerRefused(f"no reply passed the quality gate: {', '.join(rejections)}")
