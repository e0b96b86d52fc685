"""One summary: ask, judge, ask once more, ask another model, fall back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from turnfold import telemetry
from turnfold.errors import SummarizerRefused
from turnfold.summaries.quality_gate import rejection
from turnfold.summaries.rejection_counts import count_rejection
from turnfold.summaries.reply_text import without_wrapping
from turnfold.summaries.summarizer import HasFallbackModel, Summarizer, SummaryReply, SummaryRequest

log = telemetry.logger(__name__)
UNKNOWN_MODEL = "unknown"


async def summarize(
    request: SummaryRequest, summarizer: Summarizer, *, fallback: Summarizer | None = None
) -> SummaryReply:
    """A reply that passed the quality gate.

    A refused reply is asked for once more, more firmly; then the summarizer's fallback model is asked, if it has one;
    then the fallback, whose reply is marked `degraded`. Every refused reply is counted by its reason.

    Raises:
        SummarizerTransient: the summarizer could not answer now (the fallback is not asked: a later try may be better).
        SummarizerRefused: no reply passed; `detail` says why.
    """
    ladder = _Ladder(request)
    for asked in _asked(request, summarizer):
        if (reply := await ladder.step(summarizer, asked)) is not None:
            return reply
    if fallback is not None and (reply := await ladder.step(fallback, request, label="fallback: ")) is not None:
        return replace(reply, degraded=True)
    raise SummarizerRefused(f"no reply passed the quality gate: {', '.join(ladder.rejections)}")


@dataclass(slots=True)
class _Ladder:
    """The replies to one request so far, all of them refused."""

    request: SummaryRequest
    rejections: list[str] = field(default_factory=list[str])
    no_use: set[str | None] = field(default_factory=set[str | None])

    async def step(self, summarizer: Summarizer, asked: SummaryRequest, *, label: str = "") -> SummaryReply | None:
        """One more reply, if it passes. A model that refused the request itself is not asked again."""
        if not label and asked.model in self.no_use:
            return None
        try:
            reply = await summarizer.summarize(asked)
        except SummarizerRefused as error:
            self.rejections.append(f"{label}{error.detail}")
            self.no_use.add(asked.model)
            return None
        reply = without_wrapping(reply)
        if (reason := rejection(reply, self.request)) is None:
            return replace(reply, rejections=tuple(self.rejections))
        count_rejection(reason, reply.model)
        log.info(telemetry.REPLY_REJECTED, reason=str(reason), model=reply.model or UNKNOWN_MODEL)
        self.rejections.append(f"{label}{reason}")
        if reply.is_extractive:  # the same words would come again
            self.no_use.add(asked.model)
        return None


def _asked(request: SummaryRequest, summarizer: Summarizer) -> Iterator[SummaryRequest]:
    """The requests in the order in which they are tried."""
    yield replace(request, stricter=False)
    yield replace(request, stricter=True)
    other = summarizer.fallback_model if isinstance(summarizer, HasFallbackModel) else None
    if other and other != request.model:
        yield replace(request, model=other, stricter=True)
