"""How much a value is worth keeping: what tells, before the next turn is known, that it will be needed again."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from turnfold.summaries.fact_rules import FactKind
from turnfold.summaries.ledger import Fact

# Factors, since the signs are of different kinds and strengthen each other. Measured on agents' chats: which values of
# the folded part were arguments of a later call.
GIVEN_TO_A_TOOL = 3.0
SAID_BY_THE_USER = 2.0
CARRIED_BY_A_SUMMARY = 3.0
HELD_IN_A_FIELD = 6.0
SAID_AND_HELD = 2.0  # a field's value that somebody put in words
MIXED_OR_NAMED_AN_ID = 4.0  # letters with digits, or a field called `..._id`
ONLY_THE_ASSISTANT = 0.4
PART_OF_ANOTHER = 0.2
RECENT = 1.0  # the newest message counts double
FREQUENT = 0.2  # for each doubling of the number of mentions

# A form that can't be guessed, and that tools take, is worth more than a word or a time of day.
KIND_WEIGHTS: Mapping[FactKind, float] = {
    FactKind.DATE: 2.0,
    FactKind.NAME: 1.2,
    FactKind.ID: 1.0,
    FactKind.PATH: 0.8,
    FactKind.URL: 0.6,
    FactKind.WORD: 0.6,
    FactKind.EMAIL: 0.5,
    FactKind.PHONE: 0.5,
    FactKind.ADDRESS: 0.4,
    FactKind.QUOTED: 0.4,
    FactKind.AMOUNT: 0.2,
    FactKind.TIME: 0.2,
    FactKind.NUMBER: 0.1,
}

_ASSISTANT_ALONE = frozenset({"assistant"})
_MIXED = re.compile(r"[A-Za-z].*\d|\d.*[A-Za-z]")
_ID_FIELD = re.compile(r"(?:^|[_ -])(?:ids?|number|no|code|key|ref|uuid|sku)$|[a-z]I[dD]s?$", re.IGNORECASE)


def weights_of(facts: Mapping[str, Fact], last_position: int) -> dict[str, float]:
    """The weight of each fact, by its key."""
    return {key: weight_of(fact, last_position) for key, fact in facts.items()}


def weight_of(fact: Fact, last_position: int) -> float:
    """The weight of one fact.

    Args:
        fact: with all mentions noted.
        last_position: of the newest message.
    """
    weight = KIND_WEIGHTS[fact.kind] * _use(fact) * _form(fact)
    weight *= 1.0 + RECENT * max(0, fact.last) / max(1, last_position)
    return weight * (1.0 + FREQUENT * math.log2(max(1, fact.count)))


def _use(fact: Fact) -> float:
    factor = 1.0
    if fact.is_argument:
        factor *= GIVEN_TO_A_TOOL
    if fact.is_carried:
        factor *= CARRIED_BY_A_SUMMARY
    if "user" in fact.speakers:
        factor *= SAID_BY_THE_USER
    if fact.speakers == _ASSISTANT_ALONE:
        factor *= ONLY_THE_ASSISTANT
    if fact.label and not fact.speakers.isdisjoint(("user", "assistant")):
        factor *= SAID_AND_HELD
    return factor


def _form(fact: Fact) -> float:
    factor = 1.0
    if fact.label:
        factor *= HELD_IN_A_FIELD
    if fact.is_part:
        factor *= PART_OF_ANOTHER
    if (fact.kind is FactKind.ID and _MIXED.search(fact.text)) or (fact.label and _ID_FIELD.search(fact.label)):
        factor *= MIXED_OR_NAMED_AN_ID
    return factor
