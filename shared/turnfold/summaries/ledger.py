"""The fact ledger: the values of a conversation, each once, the ones that will be needed first.

What tells that a value will be needed: it was a tool's argument, the user said it, several speakers repeat it, it is
seen often, it is seen late, and few others share its field.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from turnfold.summaries.fact_rules import FactKind
from turnfold.summaries.facts import Mention
from turnfold.summaries.units import Unit

import os
E=lambda n,d: float(os.environ.get(n,d))
ARGUMENT = E("ARG",3.0)
SAID_BY_USER = E("USR",2.0)
SAID_AND_STORED = E("SAS",2.0)
NAMED_ID = E("IDL",3.0)
CARRIED = 3.0
SPOKEN_BY_ASSISTANT_ONLY = E("AO",0.4)
RECENT = E("REC",1.0)
FREQUENT = E("FRQ",0.2)

# How much a value of that form is worth: a form that can't be guessed is worth more than a word.
KIND_WEIGHTS = {
    FactKind.ID: 1.0,
    FactKind.DATE: E("KD",1.0),
    FactKind.EMAIL: E("KE",0.5),
    FactKind.PHONE: 0.5,
    FactKind.URL: 0.6,
    FactKind.PATH: 0.8,
    FactKind.NAME: E("KN",0.6),
    FactKind.ADDRESS: 0.4,
    FactKind.AMOUNT: E("KA",0.4),
    FactKind.QUOTED: 0.4,
    FactKind.TIME: E("KT",0.2),
    FactKind.NUMBER: E("KM",0.1),
    FactKind.WORD: E("KW",0.3),
}


@dataclass(slots=True)
class Fact:
    """A value with all that is known of its use."""

    text: str
    kind: FactKind
    label: str | None = None
    label_is_argument: bool = False
    speakers: set[str] = field(default_factory=set)
    is_argument: bool = False
    is_carried: bool = False
    is_doubtful: bool = True
    is_told_elsewhere: bool = False
    count: int = 0
    last: int = 0

    def note(self, mention: Mention, unit: Unit) -> None:
        """Takes in one more mention."""
        self.count += 1
        self.last = unit.position
        self.speakers.add(unit.speaker.partition(" ")[0])
        self.is_argument |= unit.is_call
        self.is_carried |= unit.is_carried
        self.is_doubtful &= mention.doubtful
        if (unit.is_call, mention.label is not None) > (self.label_is_argument, self.label is not None):
            self.text, self.kind = mention.text, mention.kind
        if mention.label and (unit.is_call or not self.label_is_argument):
            self.label, self.label_is_argument = mention.label, unit.is_call

    @property
    def is_worth_a_line(self) -> bool:
        """Whether it can stand alone in the ledger; a word or a number in running text can't."""
        if self.is_doubtful:
            return False
        return self.label is not None or self.kind not in (FactKind.NUMBER, FactKind.WORD)


def gathered(units: Iterable[Unit]) -> dict[str, Fact]:
    """The facts of the units by their keys."""
    facts: dict[str, Fact] = {}
    for unit in units:
        for mention in unit.mentions:
            fact = facts.get(mention.key)
            if fact is None:
                fact = facts[mention.key] = Fact(mention.text, mention.kind)
            fact.note(mention, unit)
    return facts


def weights(facts: dict[str, Fact], last_position: int) -> dict[str, float]:
    """How much each fact is worth keeping."""
    sizes = Counter(fact.label or fact.kind.value for fact in facts.values() if not fact.is_argument)
    return {key: _weight(fact, last_position, sizes) for key, fact in facts.items()}


def _weight(fact: Fact, last_position: int, sizes: Counter[str]) -> float:
    weight = KIND_WEIGHTS[fact.kind]
    if fact.is_argument:
        weight *= ARGUMENT
    if "user" in fact.speakers:
        weight *= SAID_BY_USER
    if fact.is_carried:
        weight *= CARRIED
    if fact.label and not fact.speakers.isdisjoint(("user","assistant")):
        weight *= SAID_AND_STORED
    if fact.speakers == {"assistant"}:
        weight *= SPOKEN_BY_ASSISTANT_ONLY
    if fact.label and _ID_FIELD.search(fact.label):
        weight *= NAMED_ID
    if fact.is_told_elsewhere:
        weight *= E("TE",0.2)
    if fact.label:
        weight *= E("LAB",1.0)
    weight *= 1.0 + RECENT * max(0,fact.last) / max(1, last_position)
    return weight * (1.0 + FREQUENT * math.log2(fact.count)) / max(1,sizes[fact.label or ""])**E("SZ",0)


_ID_FIELD = re.compile(r"(?:^|[_-])(?:id|ids|number|no|code|key|ref|uuid|sku)$|[a-z]I[dD]s?$")


def ledger_lines(facts: Sequence[Fact]) -> list[str]:
    """The facts as lines `label: v1, v2`, labels in the order of their first fact."""
    lines: dict[str, list[str]] = {}
    for fact in facts:
        lines.setdefault(label_of(fact), []).append(shown(fact.text))
    return [f"{label}: {', '.join(values)}" for label, values in lines.items()]


def label_of(fact: Fact) -> str:
    """The field's name where the source gives one that can't be taken for a speaker, else the value's form."""
    label = " ".join((fact.label or "").replace(":", " ").replace(",", " ").split())[:40]
    if not label or label[0] == "-" or label.casefold() in RESERVED_LABELS:
        return fact.kind.value
    return label


def shown(value: str) -> str:
    """A value as the ledger shows it: quoted where it holds the separator."""
    return f'"{value}"' if ", " in value and '"' not in value else value


RESERVED_LABELS = frozenset(
    ("user", "assistant", "tool", "system", "developer", "function", "call", "earlier", "first request", "latest request")
)
