"""A target for summaries: within a budget, the summary that is to be written counted in."""

from __future__ import annotations

from dataclasses import dataclass

from turnfold.compaction.summarization import SMALLEST_SUMMARY_TOKENS
from turnfold.index import MessageIndex


@dataclass(frozen=True, slots=True)
class FoldedWithin:
    """What stays, and a summary of what is taken away, cost no more than `budget` tokens.

    Without the summary's share a fold would end just above the budget, and the next one be due at once.
    """

    budget: int
    summary_ratio: float

    def __call__(self, index: MessageIndex) -> bool:
        taken = index.live.tokens - index.included.tokens
        summary = max(SMALLEST_SUMMARY_TOKENS, int(taken * self.summary_ratio))
        return index.included.tokens + index.overhead_tokens + summary <= self.budget
