"""Whether a summary pays: what it saves in the contexts to come, against what it costs, a broken prompt cache included.

A model's server reads a prefix that it has seen lately for a fraction of the price. A fold changes the context from its
place on: whatever stands behind it is read once more at the full price, and only then is the shorter context cheaper.
"""

from __future__ import annotations

from dataclasses import dataclass

from turnfold.jobs.estimate import Estimate
from turnfold.jobs.prices import MILLION, Prices


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """
    Attributes:
        source_tokens: that the summary stands for.
        summary_tokens: that it has itself.
        behind_tokens: of the context behind it.
        calls: what the summary model reads and writes.
    """

    source_tokens: int
    summary_tokens: int
    behind_tokens: int
    calls: Estimate


def balance(fold: Fold, prices: Prices, turns: int) -> float:
    """What is saved in so many contexts, less what is paid for it; in the currency of the prices."""
    cached = prices.context_cached or prices.context_input
    saved = turns * max(0, fold.source_tokens - fold.summary_tokens) * cached
    read_anew = (fold.summary_tokens + fold.behind_tokens) * (prices.context_input - cached)
    written = prices.of_summary(fold.calls.prompt_tokens, fold.calls.completion_tokens)
    return (saved - read_anew) / MILLION - written


def is_worth_it(fold: Fold, prices: Prices, turns: int) -> bool:
    """Without a price, or a number of turns, there is nothing to weigh: folding is what the policy says."""
    return not turns or not prices.context_input or balance(fold, prices, turns) > 0
