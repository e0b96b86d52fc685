"""A ledger in the making: the facts that are worth most for their cost, as many as there is room for."""

from __future__ import annotations

from collections.abc import Container

from turnfold.summaries.cost import estimated_tokens
from turnfold.summaries.ledger import Fact
from turnfold.summaries.material import Material

COST_EXPONENT = 0.7  # 1 would fill the ledger with the shortest values
SEPARATOR_TOKENS = 1
LABEL_TOKENS = 2  # the colon and the line break


def ranked_facts(material: Material) -> list[tuple[str, float]]:
    """The keys of the facts that can stand in a ledger, best first, with the cost of each."""
    costs = {
        key: float(estimated_tokens(fact.shown_text) + SEPARATOR_TOKENS)
        for key, fact in material.facts.items()
        if fact.can_stand_alone
    }
    return sorted(costs.items(), key=lambda item: -material.weights[item[0]] / item[1] ** COST_EXPONENT)


class LedgerDraft:
    """Facts chosen so far, in the order in which they were chosen."""

    def __init__(self, ranked: list[tuple[str, float]], material: Material) -> None:
        self._ranked = ranked
        self._material = material
        self._labels: set[str] = set()
        self.keys: dict[str, None] = {}

    @property
    def facts(self) -> list[Fact]:
        """The chosen facts, best first."""
        return [self._material.facts[key] for key in self.keys]

    def fill(self, room: float, among: Container[str]) -> float:
        """Takes facts that are among the given keys, best first, while there is room; returns what they cost."""
        left = room
        for key, cost in self._ranked:
            if left < 1 + SEPARATOR_TOKENS:
                break
            if key in self.keys or key not in among:
                continue
            label = self._material.facts[key].shown_label
            total = cost if label in self._labels else cost + estimated_tokens(label) + LABEL_TOKENS
            if total <= left:
                left -= total
                self._labels.add(label)
                self.keys[key] = None
        return room - left
