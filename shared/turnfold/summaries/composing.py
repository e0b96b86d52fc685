"""Filling the budget of a summary: the requests, the values that will be needed, what else was said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from turnfold.summaries.cost import estimated_tokens
from turnfold.summaries.digest import written
from turnfold.summaries.fit import cut_to
from turnfold.summaries.ledger import Fact
from turnfold.summaries.ledger_draft import LedgerDraft, ranked_facts
from turnfold.summaries.lines import Lines
from turnfold.summaries.material import Material

# Shares of the budget.
WHOLE_REQUEST_SHARE = 0.3  # requests that cost no more stay whole, whatever else there is
CUT_REQUEST_SHARE = 0.15  # longer ones have this before the strong facts, and more if there is room behind those
MIN_REQUEST_TOKENS = 24
WEAK_SHARE = 0.6  # of what requests and strong facts leave; the rest is for lines

# A fact is strong above both: a weight of its own, and a part of the weight of the strongest.
STRONG_WEIGHT = 3.0
STRONG_PART = 0.015

REQUEST_LABEL_TOKENS = 4
ENOUGH = 0.97  # of the budget: no further try
TRIES = 4


@dataclass(frozen=True, slots=True)
class Selection:
    """What of the material goes into the text, best first."""

    first: str
    latest: str
    facts: Sequence[Fact]
    lines: Sequence[int]


class Composer:
    """Composes one summary.

    Costs are estimated while selecting; then the text is counted, and the selection made again with the estimate
    corrected: few exact counts, whatever the counter is.
    """

    def __init__(self, material: Material, max_tokens: int, count_tokens: Callable[[str], int]) -> None:
        self._material = material
        self._max_tokens = max_tokens
        self._count = count_tokens
        self._ranked = ranked_facts(material)
        self._strong = strong_facts(material)
        self._lines = Lines(material)

    def text(self) -> str:
        """The summary, never above its tokens; empty only if the sources say nothing, or no token is allowed."""
        best, most = "", -1
        budget = float(self._max_tokens)
        selection = Selection("", "", (), ())
        for _ in range(TRIES):
            selection = self._selection(budget)
            text = self._written(selection)
            tokens = self._count(text)
            if most < tokens <= self._max_tokens:
                best, most = text, tokens
            if not text or self._max_tokens * ENOUGH <= tokens <= self._max_tokens:
                break
            budget *= max(0.5, min(2.0, self._max_tokens * 0.99 / max(1, tokens)))
        return best or self._cut(selection)

    def _selection(self, budget: float) -> Selection:
        """The best use of a budget of estimated tokens."""
        first, latest = self._requests(self._request_budget(budget))
        room = budget - _request_cost(first, latest)
        ledger = LedgerDraft(self._ranked, self._material)
        room -= ledger.fill(room, self._strong)
        whole = self._requests(room + _request_cost(first, latest))
        room -= _request_cost(*whole) - _request_cost(first, latest)
        room -= ledger.fill(room * WEAK_SHARE, self._material.facts)
        return Selection(*whole, ledger.facts, self._lines.chosen(room, shown=ledger.keys))

    def _request_budget(self, budget: float) -> float:
        """What the requests may cost before the strong facts have their place."""
        if _request_cost(self._material.first, self._material.latest) <= budget * WHOLE_REQUEST_SHARE:
            return budget
        return min(budget / 2, max(MIN_REQUEST_TOKENS, budget * CUT_REQUEST_SHARE))

    def _requests(self, budget: float) -> tuple[str, str]:
        """Both requests within a budget, whole if they fit; else the latest has up to half of it."""
        first, latest = self._material.first, self._material.latest
        if _request_cost(first, latest) <= budget:
            return first, latest
        half = budget / 2 if latest else 0.0
        latest = cut_to(latest, int(half) - REQUEST_LABEL_TOKENS, estimated_tokens)
        return cut_to(first, int(budget - _request_cost("", latest)) - REQUEST_LABEL_TOKENS, estimated_tokens), latest

    def _written(self, selection: Selection) -> str:
        lines = [(index, self._material.units[index]) for index in selection.lines]
        return written(selection.first, selection.latest, selection.facts, lines)

    def _cut(self, selection: Selection) -> str:
        """What is left where estimates were of no use: the start of a text that is too long."""
        whole = self._written(selection) or self._written(Selection(self._material.first, "", (), ()))
        whole = whole or next((unit.text for unit in self._material.units if unit.text), "")
        return cut_to(whole, self._max_tokens, self._count)


def _request_cost(first: str, latest: str) -> float:
    return sum(estimated_tokens(text) + REQUEST_LABEL_TOKENS for text in (first, latest) if text)


def strong_facts(material: Material) -> set[str]:
    """Keys of the facts that come before anything but requests: what an earlier summary kept is among them."""
    least = max(STRONG_WEIGHT, STRONG_PART * max(material.weights.values(), default=0.0))
    return {key for key, fact in material.facts.items() if fact.is_carried or material.weights[key] >= least}
