"""Asking a summarizer without letting it see the values that are redacted."""

from __future__ import annotations

from dataclasses import replace

from turnfold.redaction.marks import Marks
from turnfold.redaction.redactor import Redactor
from turnfold.summaries.summarizer import HasFallbackModel, Summarizer, SummaryReply, SummaryRequest


class RedactingSummarizer:
    """Asks another summarizer with marks in the place of values, and undoes them in its reply.

    For work in place: the marks are known to this object alone.
    """

    def __init__(self, summarizer: Summarizer, redactor: Redactor) -> None:
        self._summarizer, self._redactor, self._marks = summarizer, redactor, Marks()
        self.name = summarizer.name

    @property
    def fallback_model(self) -> str | None:
        """The other summarizer's."""
        return self._summarizer.fallback_model if isinstance(self._summarizer, HasFallbackModel) else None

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        """As the other summarizer."""
        reply = await self._summarizer.summarize(redacted(request, self._redactor, self._marks))
        return replace(reply, text=self._marks.undone(reply.text))


def redacted(request: SummaryRequest, redactor: Redactor, marks: Marks) -> SummaryRequest:
    """The request with marks in the place of values; itself where it has none."""
    messages = [redactor.message(message, marks) for message in request.messages]
    earlier = [redactor.text(text, marks) for text in request.earlier]
    if messages == list(request.messages) and earlier == list(request.earlier):
        return request
    return replace(request, messages=messages, earlier=earlier, has_marks=True)
