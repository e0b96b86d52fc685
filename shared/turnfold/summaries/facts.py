"""Finding exact values: what a later turn may have to repeat to the letter."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from turnfold.summaries.fact_rules import FactKind, rules_for

MAX_VALUE_CHARS = 100  # longer is a text or a blob, not a value to be repeated

_QUOTES = "\"'‘’“”「」《》`"
_TRAILING = ".,;:!?-"
_PLAIN_NUMBER = re.compile(r"[+-]?\d[\d,]{0,20}(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?", re.ASCII)
_MANY_DIGITS = 5  # a number of so many digits is an id more often than a quantity
_CODE = re.compile(r"[A-Z]{2,8}(?:[-/][A-Z]{2,8})?")
_SENTENCE_SIGNS = ".!?:;。！？：—\x00"


class Mention(NamedTuple):
    """One value where it stands.

    Attributes:
        key: equal for mentions of the same value; a bare number means little without its field.
        text: the value, verbatim.
        kind: its form.
        label: the field that holds it, where the source is structured.
        doubtful: perhaps no value at all: a capital letter that only starts a sentence.
        was: values that it replaced, as an earlier summary tells.
    """

    key: str
    text: str
    kind: FactKind
    label: str | None = None
    doubtful: bool = False
    was: tuple[str, ...] = ()


def find_facts(text: str) -> list[Mention]:
    """The values in a piece of running text, rule by rule; no place is counted twice.

    Args:
        text: one line of bounded length.
    """
    found: list[Mention] = []
    for rule in rules_for(text):
        if matches := list(rule.pattern.finditer(text)):
            for match in matches:
                found += _mentions(rule.kind, match)
            text = _blanked(text, matches)
    return found


def field_fact(label: str, value: str) -> Mention:
    """The value of a field as a mention; any short value counts, a word too."""
    kind = kind_of(value)
    key = f"{label}={value}" if kind is FactKind.NUMBER else value_key(value)
    return Mention(key, value, kind, label or None)


def value_key(value: str) -> str:
    """What is equal for the same value: small and capital letters don't matter, but in a code they do."""
    return value if value.isupper() and _CODE.fullmatch(value) else value.casefold()


def is_number(value: str) -> bool:
    """Whether the whole value is one number."""
    return _PLAIN_NUMBER.fullmatch(value) is not None


@lru_cache(maxsize=8192)
def kind_of(value: str) -> FactKind:
    """The form of a whole value."""
    if value.islower() and value.isalpha():
        return FactKind.WORD
    if is_number(value):
        return FactKind.ID if len(value) >= _MANY_DIGITS and value.isdigit() else FactKind.NUMBER
    if _CODE.fullmatch(value):
        return FactKind.ID
    for rule in rules_for(value):
        if rule.pattern.fullmatch(value):
            return rule.kind
    return FactKind.QUOTED if " " in value else FactKind.WORD


def _mentions(kind: FactKind, match: re.Match[str]) -> list[Mention]:
    text = match.group()
    if kind is FactKind.QUOTED:
        text = text.strip(_QUOTES)
        inner = kind_of(text)
        kind = kind if inner is FactKind.WORD else inner
    text = text.rstrip(_TRAILING)
    if kind is FactKind.WORD or not 0 < len(text) <= MAX_VALUE_CHARS:
        return []
    return [Mention(value_key(text), text, kind, None, kind is FactKind.NAME and _may_start_sentence(match))]


def _may_start_sentence(match: re.Match[str]) -> bool:
    """Whether a single capitalized word may have its capital from where it stands."""
    word = match.group()
    if " " in word or (word.isupper() and len(word) > 2):
        return False
    before = match.string[max(0, match.start() - 3) : match.start()].rstrip(" \"'“‘(*-")
    return not before or before[-1] in _SENTENCE_SIGNS or word.isupper()


def _blanked(text: str, matches: list[re.Match[str]]) -> str:
    """The text with the matches covered, so that no later rule finds a part of them."""
    pieces: list[str] = []
    end = 0
    for match in matches:
        pieces += (text[end : match.start()], "\x00" * (match.end() - match.start()))
        end = match.end()
    pieces.append(text[end:])
    return "".join(pieces)
