"""One value in two forms: the number of a card within its id, "May 20" and 2024-05-20.

The form that a tool takes keeps the credit of the other: who says "the card ending in 7447" asks for that card.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from turnfold.summaries.fact_rules import FactKind
from turnfold.summaries.ledger import Fact

_PART = re.compile(r"[A-Za-z0-9]{4,}")
_ISO_DAY = re.compile(r"\d{4}-(\d\d)-(\d\d)")
_MONTH_DAY = re.compile(r"([A-Za-z]{3})[a-z]*\.? (\d{1,2})|(\d{1,2})(?:st|nd|rd|th)? (?:of )?([A-Za-z]{3})")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def share_credit(facts: Mapping[str, Fact]) -> None:
    """Gives the fuller form of a value the speakers of the other, and marks the other as told by it."""
    fuller: dict[str, list[Fact]] = {}
    for fact in facts.values():
        for part in _parts(fact):
            fuller.setdefault(part, []).append(fact)
    for key, fact in facts.items():
        name = _month_day(fact.text) if fact.kind is FactKind.DATE else key if fact.label is None else ""
        for other in fuller.get(name, ()) if name else ():
            if other is not fact:
                other.speakers |= fact.speakers
                fact.is_told_elsewhere = True


def _parts(fact: Fact) -> Iterable[str]:
    """The forms under which others may speak of the value."""
    if fact.kind is FactKind.DATE and (day := _ISO_DAY.match(fact.text)):
        return (f"{day[1]}-{day[2]}",)
    if fact.kind is FactKind.ID and ("_" in fact.text or "-" in fact.text):
        return [part for part in _PART.findall(fact.text.casefold().replace("_", " ")) if any(c.isdigit() for c in part)]
    return ()


def _month_day(text: str) -> str:
    match = _MONTH_DAY.match(text)
    if match is None:
        return ""
    month, day = (match[1], match[2]) if match[1] else (match[4], match[3])
    return f"{_MONTHS.index(month.lower()) + 1:02}-{int(day):02}" if month.lower() in _MONTHS else ""
