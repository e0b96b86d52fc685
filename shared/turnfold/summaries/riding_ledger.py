"""The ledger that rides with a model's prose: exact values, decisions and wishes that the prose does not tell.

Ledger:
order_id: W-20417, W-99810
- user: No nuts, please.
"""

from __future__ import annotations

from collections.abc import Callable

from turnfold.summaries.composing import strong_facts
from turnfold.summaries.cost import estimated_tokens
from turnfold.summaries.digest import LEDGER_HEAD, written
from turnfold.summaries.ledger import Fact
from turnfold.summaries.ledger_draft import LedgerDraft, ranked_facts
from turnfold.summaries.material import Material, material_of
from turnfold.summaries.statements import statements
from turnfold.summaries.summarizer import SummaryRequest

STATEMENTS_SHARE = 0.25  # of what the strong values leave
LINE_TOKENS = 4
SMALLEST_ROOM = 8
SHORTEST_VALUE_CHARS = 4
ENOUGH = 0.95
TRIES = 4


def riding_ledger(request: SummaryRequest, prose: str, room: int) -> str:
    """A ledger of at most so many tokens, its head counted in; empty where there is no room, or nothing to add."""
    if room < SMALLEST_ROOM:
        return ""
    draft = _Draft(material_of(request), prose.casefold())
    best, budget = "", float(room)
    for _ in range(TRIES):
        text = draft.text(budget)
        tokens = request.count_tokens(text) if text else 0
        if tokens <= room and len(text) > len(best):
            best = text
        if not text or room * ENOUGH <= tokens <= room:
            break
        budget *= max(0.5, min(2.0, room * 0.99 / max(1, tokens)))
    return best


def _is_telling(fact: Fact) -> bool:
    """Whether the value says something beside a text that does not name it: `u7` without a field does not."""
    return fact.label is not None or len(fact.text) >= SHORTEST_VALUE_CHARS


class _Draft:
    """What could stand in the ledger, best first."""

    def __init__(self, material: Material, prose: str) -> None:
        is_new: Callable[[str], bool] = lambda text: text.casefold() not in prose  # noqa: E731 - said twice below
        self._material = material
        self._new = {key for key, fact in material.facts.items() if _is_telling(fact) and is_new(fact.text)}
        self._strong = strong_facts(material) & self._new
        self._ranked = ranked_facts(material)
        self._lines = [i for i in statements(material.units) if is_new(material.units[i].text)]

    def text(self, budget: float) -> str:
        """The ledger for a budget of estimated tokens."""
        room = budget - estimated_tokens(LEDGER_HEAD) - 1
        ledger = LedgerDraft(self._ranked, self._material)
        room -= ledger.fill(room, self._strong)
        lines, spent = self._lines_within(max(0.0, room * STATEMENTS_SHARE))
        room -= spent
        ledger.fill(room, self._new)
        body = written("", "", ledger.facts, [(i, self._material.units[i]) for i in lines])
        return f"{LEDGER_HEAD}\n{body}" if body else ""

    def _lines_within(self, room: float) -> tuple[list[int], float]:
        chosen: list[int] = []
        spent = 0.0
        for i in self._lines:
            cost = estimated_tokens(self._material.units[i].text) + LINE_TOKENS
            if spent + cost <= room:
                chosen.append(i)
                spent += cost
        return chosen, spent
