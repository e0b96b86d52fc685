"""The fact ledger: the values of a conversation, each once, as lines `label: v1, v2`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from turnfold.summaries.fact_rules import FactKind
from turnfold.summaries.facts import Mention
from turnfold.summaries.unit import Unit

MAX_LABEL_CHARS = 40

_SMALL_WORD = re.compile(r"\b[a-z]{2,}\b")

# A label that could be taken for a speaker or for a heading of the summary gives way to the value's form.
_ROLES = ("user", "assistant", "tool", "system", "developer", "function", "call", "earlier", "summary")
RESERVED_LABELS = frozenset((*_ROLES, "first request", "latest request"))


@dataclass(slots=True)
class Fact:
    """A value with all that is known of its use; it grows while the units are read.

    Attributes:
        text: the value, verbatim; as the tool took it, where one did.
        kind: its form.
        label: the field that holds it.
        speakers: who said it, tools without their names.
        is_argument: it was given to a tool.
        is_carried: an earlier summary has it.
        is_doubtful: each mention may be no value at all.
        is_part: a fuller form of it stands in the ledger.
        count: number of mentions.
        last: position of the last message that has it.
        was: what it replaced, newest first.
    """

    text: str
    kind: FactKind
    label: str | None = None
    speakers: frozenset[str] = frozenset()
    is_argument: bool = False
    is_carried: bool = False
    is_doubtful: bool = True
    is_part: bool = False
    count: int = 0
    last: int = 0
    was: tuple[str, ...] = ()

    def note(self, mention: Mention, unit: Unit) -> None:
        """Takes in one more mention."""
        if mention.label is not None and (unit.is_call or not self.is_argument or self.label is None):
            self.text, self.kind, self.label = mention.text, mention.kind, mention.label
        self.count += 1
        self.last = unit.position
        self.speakers = joined(self.speakers, unit.speaker.partition(" ")[0])
        self.is_argument |= unit.is_call
        self.is_carried |= unit.is_carried
        self.is_doubtful &= mention.doubtful
        self.was = mention.was or self.was

    @property
    def can_stand_alone(self) -> bool:
        """Whether a ledger line can hold it; a word or a number from running text says nothing there."""
        if self.is_doubtful:
            return False
        return self.label is not None or self.kind not in (FactKind.NUMBER, FactKind.WORD)

    @property
    def shown_label(self) -> str:
        """The field's name where the source gives a usable one, else the value's form."""
        label = " ".join((self.label or "").replace(":", " ").replace(",", " ").split())[:MAX_LABEL_CHARS].strip()
        if not label or label[0] in "-\"'" or label.casefold() in RESERVED_LABELS:
            return self.kind.value
        return label

    @property
    def shown_text(self) -> str:
        """The value, quoted where it holds the separator; behind a corrected one what it replaced."""
        text = f"{self.text} (was {' / '.join(self.was)})" if self.was else self.text
        return f'"{text}"' if ", " in text and '"' not in text else text


@lru_cache(maxsize=1024)
def joined(speakers: frozenset[str], speaker: str) -> frozenset[str]:
    """The speakers and one more. Cached: thousands of facts share a handful of sets."""
    return speakers | {speaker}


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


def doubt_common_words(facts: Mapping[str, Fact], units: Iterable[Unit]) -> None:
    """Marks capitalized words that stand in small letters elsewhere: they were no names."""
    names = {key: fact for key, fact in facts.items() if fact.kind is FactKind.NAME and fact.label is None}
    if not names:
        return
    for unit in units:
        for word in _SMALL_WORD.findall(unit.text):
            if word in names and not names[word].text.isupper():
                names[word].is_doubtful = True


def ledger_lines(facts: Sequence[Fact]) -> list[str]:
    """The facts as lines `label: v1, v2`, labels in the order of their first fact."""
    lines: dict[str, list[str]] = {}
    for fact in facts:
        lines.setdefault(fact.shown_label, []).append(fact.shown_text)
    return [f"{label}: {', '.join(values)}" for label, values in lines.items()]
