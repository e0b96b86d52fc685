"""Finding exact values: what a later turn may have to repeat to the letter."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from turnfold.summaries.fact_rules import FACT_RULES, FactKind

MAX_VALUE_CHARS = 100  # longer is a text or a blob, not a value to be repeated

_QUOTES = "\"'‘’“”「」《》`"
_TRAILING = ".,;:!?-"
_PLAIN_NUMBER = re.compile(r"[+-]?\d[\d,]{0,20}(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?")
_CODE = re.compile(r"[A-Z]{2,8}(?:[-/][A-Z]{2,8})?")


@dataclass(frozen=True, slots=True)
class Mention:
    """One value where it stands.

    Attributes:
        text: the value, verbatim.
        kind: its form.
        label: the field that holds it, where the source is structured.
        doubtful: perhaps no value at all: a capital letter that only starts a sentence.
        key: equal for mentions of the same value; a bare number means little without its field.
    """

    text: str
    kind: FactKind
    label: str | None = None
    doubtful: bool = False
    key: str = ""

    def __post_init__(self) -> None:
        text = self.text.casefold()
        labelled = self.label is not None and self.kind is FactKind.NUMBER
        object.__setattr__(self, "key", f"{self.label}={text}" if labelled else text)


def find_facts(text: str) -> list[Mention]:
    """The values in a piece of running text, rule by rule; no place is counted twice.

    Args:
        text: one unit, its whitespace collapsed; of bounded length, since a few rules look far ahead.
    """
    found: list[Mention] = []
    characters = frozenset(text)
    for rule in FACT_RULES:
        if rule.needs and rule.needs.isdisjoint(characters):
            continue
        kept = [match for match in rule.pattern.finditer(text) if match.end() > match.start()]
        for match in kept:
            found += _mentions(rule.kind, match)
        if kept:
            text = _blanked(text, kept)
    return found


def field_fact(label: str, value: str) -> Mention:
    """The value of a field as a mention; any short value counts, a word too."""
    return Mention(value, kind_of(value), label)


@lru_cache(maxsize=8192)
def kind_of(value: str) -> FactKind:
    """The form of a whole value."""
    if _PLAIN_NUMBER.fullmatch(value):
        return FactKind.ID if len(value) > 4 and value.isdigit() else FactKind.NUMBER
    if _CODE.fullmatch(value):
        return FactKind.ID
    characters = frozenset(value)
    for rule in FACT_RULES:
        if (not rule.needs or not rule.needs.isdisjoint(characters)) and rule.pattern.fullmatch(value):
            return rule.kind
    return FactKind.WORD


def _mentions(kind: FactKind, match: re.Match[str]) -> list[Mention]:
    text = match.group().strip(_QUOTES if kind is FactKind.QUOTED else "").rstrip(_TRAILING)
    if kind is FactKind.WORD or not 0 < len(text) <= MAX_VALUE_CHARS:
        return []
    if kind is FactKind.QUOTED:
        inner = kind_of(text)
        return [Mention(text, kind if inner is FactKind.WORD else inner)]
    return [Mention(text, kind, None, kind is FactKind.NAME and _starts_sentence(match))]


def _starts_sentence(match: re.Match[str]) -> bool:
    """Whether a single capitalized word has its capital from where it stands."""
    word = match.group()
    if " " in word or _CODE.fullmatch(word):
        return False
    before = match.string[max(0, match.start() - 3) : match.start()].rstrip(" \"'“‘(*-")
    return not before or before[-1] in ".!?:;。！？：\x00—"


def _blanked(text: str, matches: list[re.Match[str]]) -> str:
    """The text with the matches covered, so that no later rule finds a part of them."""
    pieces: list[str] = []
    end = 0
    for match in matches:
        pieces += (text[end : match.start()], "\x00" * (match.end() - match.start()))
        end = match.end()
    pieces.append(text[end:])
    return "".join(pieces)
