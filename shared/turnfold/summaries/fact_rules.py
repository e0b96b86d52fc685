"""The forms of exact values, as patterns: whatever the business is, an id looks like an id."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache


class FactKind(StrEnum):
    """The form of a value; it is the label in the ledger where the source gives none."""

    URL = "url"
    EMAIL = "email"
    PATH = "path"
    DATE = "date"
    TIME = "time"
    PHONE = "phone"
    ADDRESS = "address"
    AMOUNT = "amount"
    QUOTED = "quoted"
    ID = "id"
    NAME = "name"
    NUMBER = "number"
    WORD = "word"


@dataclass(frozen=True, slots=True)
class FactRule:
    """A pattern, and characters of which a text must hold one to be worth the search (none named: any text)."""

    kind: FactKind
    pattern: re.Pattern[str]
    needs: frozenset[str]


_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)\b"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?\b"
_STREET = (
    r"(?:Street|St|Avenue|Ave|Road|Rd|Drive|Dr|Lane|Ln|Boulevard|Blvd|Court|Ct|Way|Place|Pl|Square|Sq|Highway|Hwy"
    r"|Terrace|Parkway|Pkwy|Circle)"
)
_EXTENSION = (
    r"(?:pyi?|jsx?|tsx?|jsonl?|md|rst|txt|csv|tsv|ya?ml|toml|html?|css|java|kt|go|rs|cc?|cpp|h|hpp|cs|rb|php|sql|sh"
    r"|pdf|docx?|xlsx?|pptx?|png|jpe?g|gif|svg|log|cfg|ini|conf|xml|lock|zip|gz|tar|ipynb|parquet|env)"
)
_CAPITALIZED = r"(?:[a-zà-ÿ]+|[A-Z]+)(?:['’]?[A-Z][a-zà-ÿ]*){0,6}(?![a-zà-ÿ])"  # behind the first letter
_NUMBER = r"\d[\d,]{0,20}(?:\.\d{1,12})?"
_SCALE = r"(?:\s?(?:million|billion|trillion|thousand)\b|[KMBkmb]n?\b)?\+?"
_NO_UNIT = r"(?!(?:and|the|for|with|from|are|was|were|has|have|that|this|but|not|per|can|will|which|who|when|then)\b)"
_DIGITS = "0123456789"

# The first rule that matches a place has it. What must not stand before a match is looked at after its first character:
# so a pattern starts with a set of characters, which the engine finds fast. All repetitions are bounded.
_FORMS: tuple[tuple[FactKind, str, str], ...] = (
    (FactKind.URL, "/", r"https?://[^\s\"'<>()\[\]{}|\\^`]{1,200}[^\s\"'<>()\[\]{}|\\^`.,;:!?]"),
    (FactKind.WORD, "", r"[!-~]{121,}"),  # a blob, taken out of the way of the rules that follow
    (FactKind.EMAIL, "@", r"\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}\b"),
    (FactKind.PATH, "/", r"[~./](?<![\w<~./].)\.?/?[\w.@+-]{1,80}(?:/[\w.@+-]{1,80}){1,20}"),
    (FactKind.PATH, ".", rf"\b(?:[\w-]{{1,60}}/){{0,12}}[\w-]{{1,60}}(?:\.[\w-]{{1,20}}){{0,3}}\.{_EXTENSION}\b"),
    (FactKind.PATH, "\\", r"[A-Za-z](?<!\w.):\\[\w\\.-]{2,100}"),
    (FactKind.TIME, ":", r"\d(?<!\d.)\d{3}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"),
    (FactKind.DATE, "-", r"\d(?<!\d.)\d{3}-\d\d-\d\d(?!\d)"),
    (FactKind.DATE, "/.", r"\d(?<![\d/.].)\d{0,3}([/.])\d{1,2}\1\d{2,4}(?![\d/]|\.\d)"),
    (FactKind.DATE, _DIGITS, rf"\b{_MONTH}\.? {_DAY}(?:,? \d{{4}}\b)?"),
    (FactKind.DATE, _DIGITS, rf"\d(?<!\w.)\d?(?:st|nd|rd|th)? (?:of )?{_MONTH}(?:,? \d{{4}}\b)?|\b{_MONTH} \d{{4}}\b"),
    (FactKind.DATE, "年月", r"(?:\d{2,4}年)?\d{1,2}月(?:\d{1,2}[日号])?|\d{2,4}年"),
    (FactKind.TIME, ":", r"\d(?<![\d:].)\d?:\d\d(?::\d\d)?(?: ?[AaPp]\.?[Mm]\b)?(?:\+\d\b)?(?![\d:])"),
    (FactKind.TIME, "mM", r"\d(?<![\d:.].)\d? ?[AaPp]\.?[Mm]\b"),
    (FactKind.PHONE, "+", r"\+\d{1,3}(?:[ .-]?\(?\d{2,4}\)?){2,5}\b"),
    (FactKind.PHONE, "-. ", r"[\d(](?<!\w.)\d{2}\d?\)?[ .-]?\d{3}[ .-]\d{4}\b|\b\d{3,4}-\d{7,8}\b"),
    (FactKind.AMOUNT, "$€£¥₹", rf"[$€£¥₹]\s?{_NUMBER}{_SCALE}"),
    (FactKind.AMOUNT, "%", r"\d(?<![\w.].)[\d,]{0,20}(?:\.\d{1,6})?\s?%"),
    (FactKind.AMOUNT, "DPRYF", r"\d(?<![\w.].)[\d,]{0,20}(?:\.\d{1,6})? ?(?:USD|EUR|GBP|CNY|JPY|INR|CHF)\b"),
    (FactKind.AMOUNT, "元块米个天", r"\d(?<![\w.].)[\d,]{0,20}(?:\.\d{1,6})?(?:-\d{1,9})?(?:元|块|公里|米|个|天)"),
    (FactKind.ADDRESS, _DIGITS, rf"\d(?<!\w.)\d{{0,5}} (?:[A-Z][\w.'-]{{0,20}} ){{1,3}}{_STREET}\b"),
    (FactKind.QUOTED, '"', r"\"[^\"\s][^\"]{0,58}\"(?!\s?:)"),
    (FactKind.QUOTED, "“「《`", r"“[^”]{2,60}”|「[^」]{1,40}」|《[^》]{1,40}》|`[^`\s][^`]{0,58}`"),
    (FactKind.QUOTED, "'‘", r"['‘](?<!\w.)[A-Za-z][^'’]{1,58}['’](?!\w)"),
    (FactKind.ID, "#", r"#[\w-]{1,30}"),
    (FactKind.ID, _DIGITS, r"\b(?:[A-Za-z_]{1,60}[A-Za-z_-]{0,60}\d[\w-]{0,60}|\d[\d_-]{0,60}[A-Za-z_][\w-]{0,60})\b"),
    (FactKind.ID, "_", r"\b[A-Za-z0-9]{1,60}(?:_[A-Za-z0-9]{1,60}){1,8}\b"),
    (FactKind.ID, ".", r"\d(?<![\w.].)\d{0,3}(?:\.\d{1,4}){2,3}\b"),
    (FactKind.ID, _DIGITS, r"\d(?<![\w.,].)\d{4,24}(?![\d.,]\d)"),
    (FactKind.NAME, "", rf"[A-Z](?<!\w.){_CAPITALIZED}(?:(?: |-| of | de | & )[A-Z]{_CAPITALIZED}){{0,4}}"),
    (FactKind.NUMBER, _DIGITS, rf"\d(?<![\w.,].)[\d,]{{0,20}}(?:\.\d{{1,12}})?(?:[ -]{_NO_UNIT}[a-z]{{3,12}}\b)?"),
)
# ASCII: a letter of another script next to a value is no part of it.
FACT_RULES = tuple(FactRule(kind, re.compile(pattern, re.ASCII), frozenset(needs)) for kind, needs, pattern in _FORMS)
_SIGNS = frozenset(sign for rule in FACT_RULES for sign in rule.needs)


def rules_for(text: str) -> tuple[FactRule, ...]:
    """The rules that can find something in the text, by the signs that it has."""
    return _rules_for_signs(_SIGNS.intersection(text))


@lru_cache(maxsize=8192)
def _rules_for_signs(signs: frozenset[str]) -> tuple[FactRule, ...]:
    return tuple(rule for rule in FACT_RULES if not rule.needs or not rule.needs.isdisjoint(signs))
