"""The lines of a summary: which units to quote when requests and ledger are settled."""

from __future__ import annotations

from collections.abc import Collection

from turnfold.summaries.cost import estimated_tokens
from turnfold.summaries.coverage import covering_units
from turnfold.summaries.material import Material
from turnfold.summaries.words import content_words

WORD_WEIGHT = 0.6
IN_LEDGER_ALREADY = 0.3  # of the weight: the line still tells what the value is about
SPEAKER_TOKENS = 9  # more than it costs: short lines say little


class Lines:
    """The units of a material with their costs and with what each covers: values and words."""

    def __init__(self, material: Material) -> None:
        self._units = material.units
        self._weights = dict(material.weights)
        self._keys: list[set[str]] = []
        for unit in material.units:
            words = {f" {word}" for word in content_words(unit.text)}  # the space keeps words apart from values
            self._weights.update(dict.fromkeys(words, WORD_WEIGHT))
            self._keys.append({mention.key for mention in unit.mentions} | words)
        self._costs = [float(estimated_tokens(unit.text) + SPEAKER_TOKENS) for unit in material.units]

    def chosen(self, room: float, *, shown: Collection[str]) -> list[int]:
        """Indices of the units that say most that is new, within the room.

        Lines of an earlier summary come first: what it kept is dropped only when they don't fit.

        Args:
            room: estimated tokens.
            shown: keys of the facts that the ledger has.
        """
        weights = self._weights | {key: self._weights[key] * IN_LEDGER_ALREADY for key in shown}
        chosen: list[int] = []
        for carried in (True, False):
            among = [i for i, unit in enumerate(self._units) if unit.text and unit.is_carried is carried]
            picked = covering_units(
                [self._keys[i] for i in among], [self._costs[i] for i in among], weights=weights, budget=room
            )
            room -= sum(self._costs[among[i]] for i in picked)
            chosen += (among[i] for i in picked)
        return chosen
