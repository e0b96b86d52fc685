"""One value in two forms: a card's number within its id, "May 20" and 2024-05-20, "one-way" and one_way.

The form that a tool takes gets the credit of the other: who says "the card 4421486" asks for credit_card_4421486.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from turnfold.summaries.fact_rules import FactKind
from turnfold.summaries.ledger import Fact, joined
from turnfold.summaries.unit import Unit

MAX_WORDS = 3

_WORD = re.compile(r"[^\W_]+")
_PART = re.compile(r"[a-z0-9]{4,}")
_ISO_DAY = re.compile(r"\d{4}-(\d\d)-(\d\d)")
_MONTH_DAY = re.compile(r"([A-Za-z]{3})[a-z]*\.? (\d{1,2})|(\d{1,2})(?:st|nd|rd|th)? (?:of )?([A-Za-z]{3})")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WORDY = (FactKind.WORD, FactKind.QUOTED, FactKind.ID)


def share_credit(facts: Mapping[str, Fact], units: Iterable[Unit]) -> None:
    """Gives each fact the speakers who named it in another form, and marks forms that are part of a fuller one."""
    _credit_fuller_forms(facts)
    in_words: dict[str, list[Fact]] = {}
    for fact in facts.values():
        if fact.label is not None and fact.kind in _WORDY:
            in_words.setdefault(" ".join(_WORD.findall(fact.text.casefold())), []).append(fact)
    if not in_words:
        return
    for phrase, speaker in _phrases(units):
        for fact in in_words.get(phrase, ()):
            fact.speakers = joined(fact.speakers, speaker)


def _credit_fuller_forms(facts: Mapping[str, Fact]) -> None:
    fuller: dict[str, list[Fact]] = {}
    for fact in facts.values():
        for name in _other_names(fact):
            fuller.setdefault(name, []).append(fact)
    for key, fact in facts.items():
        for other in fuller.get(_short_name(key, fact), ()):
            if other is not fact:
                for speaker in fact.speakers:
                    other.speakers = joined(other.speakers, speaker)
                fact.is_part = True


def _other_names(fact: Fact) -> Collection[str]:
    """The names by which people may call the value."""
    if fact.kind is FactKind.DATE and (day := _ISO_DAY.match(fact.text)):
        return (f"{day[1]}-{day[2]}",)
    if fact.kind is FactKind.ID and ("_" in fact.text or "-" in fact.text):
        return [part for part in _PART.findall(fact.text.casefold()) if not part.isalpha()]
    return ()


def _short_name(key: str, fact: Fact) -> str:
    """The fact as a name of another one; empty where it can't be."""
    if fact.kind is not FactKind.DATE:
        return key if fact.label is None else ""
    match = _MONTH_DAY.match(fact.text)
    month, day = (match[1] or match[4], match[2] or match[3]) if match else ("", "")
    return f"{_MONTHS.index(month.lower()) + 1:02}-{int(day):02}" if month.lower() in _MONTHS else ""


def _phrases(units: Iterable[Unit]) -> Iterator[tuple[str, str]]:
    """All runs of up to `MAX_WORDS` words that people and the assistant said, each with its speaker."""
    for unit in units:
        if unit.speaker in ("user", "assistant"):
            words = _WORD.findall(unit.text.casefold())
            for size in range(1, MAX_WORDS + 1):
                for start in range(len(words) - size + 1):
                    yield " ".join(words[start : start + size]), unit.speaker
