"""The summarizer that needs no model: a fact ledger, and the lines that cover most of what else was said."""

from __future__ import annotations

from turnfold.content import text_fields
from turnfold.summaries.composing import Composer
from turnfold.summaries.fit import cut_to
from turnfold.summaries.harmless import NOTHING_BUT_ORDERS
from turnfold.summaries.material import material_of
from turnfold.summaries.summarizer import SummaryReply, SummaryRequest
from turnfold.summaries.wordless import wordless


class ExtractiveSummarizer:
    """Quotes its sources: the same ones give the same text, and every value in it stands in them."""

    name = "extractive"

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        """The summary, never above `max_tokens`."""
        return SummaryReply(text=extract(request), model=self.name)


def extract(request: SummaryRequest) -> str:
    """The text of the summary; for places without an event loop, too."""
    text = Composer(material_of(request), request.max_tokens, request.count_tokens).text()
    return text or cut_to(wordless(request.messages), request.max_tokens, request.count_tokens) or _silence(request)


def _silence(request: SummaryRequest) -> str:
    """What is left of sources that hold nothing but orders to models."""
    if not any(text.strip() for message in request.messages for text in text_fields(message)):
        return ""
    return cut_to(NOTHING_BUT_ORDERS, request.max_tokens, request.count_tokens)
