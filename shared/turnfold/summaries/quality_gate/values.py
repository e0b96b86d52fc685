"""Numbers and ids, in whatever form they are written: what a reply has that its sources don't was invented."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from turnfold.summaries.quality_gate.number_words import numbers_in_words
from turnfold.summaries.quality_gate.numbers import Number, clock_times, numbers_in, western

# Counts that a summary may well have made itself: `three options`, `12 messages`.
LARGEST_COUNT = 20
SHORTEST_ID_CHARS = 3
LONG_NUMBER_DIGITS = 5
ABOUT = 0.1  # of the number, where the text says `about`

_ADDRESS = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}|https?://[^\s\"'<>()\[\]`|*，。；]+", re.ASCII)
_ID = re.compile(r"(?<![\w.@-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9][\w-]*", re.ASCII)
_ENUMERATION = re.compile(r"^\s*(?:[-*#>|]+\s*)*(?:\(?\d{1,3}[.):、]|\[\d{1,3}\])(?=\s|[^\d\s])", re.MULTILINE)
_OWN_NUMBER = re.compile(r"\b(summary|section|part)\s*(number|no\.?|#)?\s*\d{1,6}\b", re.IGNORECASE)
_UNITS = (
    r"st|nd|rd|th|er|e|ère|ème|de|k|kb|mb|gb|tb|kib|mib|gib|b|bn|m|mm|cm|km|kg|g|mg|ml|l|h|hr|hrs|min"
    r"|mins|s|sec|secs|ms|us"
    r"|ns|am|pm|px|pt|em|rem|x|d|w|y|yr|yrs|eur|usd|gbp|chf|cny|rmb|w|kw|kwh|v|mah|hz|khz|mhz|ghz|c|f"
    r"|p|fps|dpi|bit|bits|mp|ft|in|lb|lbs|oz|mio|mrd|tsd"
)
_QUANTITY = re.compile(rf"\d+(?:{_UNITS})", re.IGNORECASE)
_COMPOUND = re.compile(r"\d+(?:-[A-Za-z]+)+|[a-z]{3,}-\d+")  # 30-day, mid-2024
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_SEPARATORS = re.compile(r"[\s_\-\u00a0\u202f/().]+")
_COSTS = re.compile(
    r"[$€£¥₹%]|\b(?:usd|eur|gbp|chf|cny|rmb|euro?s?|dollars?|percent|prozent)\b|[元块美欧٪]", re.IGNORECASE
)
_APPROXIMATELY = re.compile(
    r"(?:about|around|approximately|approx\.?|roughly|nearly|almost|over|more than|under|less than"
    r"|some|~|≈|ca\.?|circa|etwa|rund"
    r"|ungefähr|knapp|über|environ|presque|unos|unas|alrededor de|cerca de|circa|约|大约|大概|近|超过"
    r"|約|حوالي|نحو|تقريب[اًا]*|около)"
    r"\s?[$€£¥₹]?\s?$",
    re.IGNORECASE,
)


class Values:
    """All numbers and ids of some texts."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._text = western("\n".join(texts))

    def lacks(self, text: str) -> list[str]:
        """The numbers and ids of the text that are in none of the texts, as they stand there."""
        rest = _OWN_NUMBER.sub(_blank, _ENUMERATION.sub(_blank, western(text)))
        missing: list[str] = []
        for pattern, has in ((_ADDRESS, self._has_address), (_ID, self._has_id)):
            for match in pattern.finditer(rest):
                if _is_word_with_number(match.group()):
                    continue
                if not has(match.group()):
                    missing.append(match.group())
                rest = rest[: match.start()] + " " * (match.end() - match.start()) + rest[match.end() :]
        return missing + list(self._missing_numbers(rest))

    def _missing_numbers(self, text: str) -> Iterator[str]:
        told: set[int] = set()
        for start, end, minutes in clock_times(text):
            told.update(range(start, end))
            if not self._has_time(minutes) and not _all_in(numbers_in(text[start:end]), self._numbers):
                yield text[start:end]
        for number in numbers_in(text):
            if number.start not in told and not self._has_number(number, text) and not _is_count(number, text):
                yield number.text

    def _has_time(self, minutes: frozenset[int]) -> bool:
        """The time of day, or a full hour that is spelled out: `after six in the evening`."""
        spelled = (str(minute // 60 % 12 or 12) for minute in minutes if minute % 60 == 0)
        return not self._minutes.isdisjoint(minutes) or not self._spelled.isdisjoint(spelled)

    def _has_number(self, number: Number, text: str) -> bool:
        if not self._numbers.isdisjoint(number.meanings):
            return True
        if (
            len(number.parts) > 1
            and (len(number.parts) > 2 or " " in number.text)
            and self._numbers.issuperset(number.parts)
        ):
            return True
        digits = "".join(number.parts)
        if len(digits) >= LONG_NUMBER_DIGITS and digits in self._squeezed:
            return True
        return self._has_about(number, text)

    def _has_about(self, number: Number, text: str) -> bool:
        """A rounded number: the nearest integer, or within a tenth where the text says so."""
        is_about = _APPROXIMATELY.search(text, max(0, number.start - 24), number.start) is not None
        for meaning in number.meanings:
            value = _float(meaning)
            if value is None:
                continue
            tolerance = ABOUT * value if is_about else 0.5
            if any(abs(known - value) <= tolerance for known in (self._amounts if is_about else self._fractions)):
                return True
        return False

    def _has_address(self, value: str) -> bool:
        wanted = value.rstrip(".,;:/!?").casefold()
        return wanted in self._small or wanted.split("://")[-1] in self._small

    def _has_id(self, value: str) -> bool:
        wanted = value.rstrip("-").casefold()
        if wanted in self._small or _SEPARATORS.sub("", wanted) in self._squeezed:
            return True
        if _DAY.match(value):
            return _all_in(numbers_in(value), self._numbers)
        return False

    @cached_property
    def _small(self) -> str:
        return self._text.casefold()

    @cached_property
    def _squeezed(self) -> str:
        return _SEPARATORS.sub("", self._small)

    @cached_property
    def _spelled(self) -> set[str]:
        return set(numbers_in_words(self._text))

    @cached_property
    def _minutes(self) -> set[int]:
        return {minute for _, _, minutes in clock_times(self._text) for minute in minutes}

    @cached_property
    def _numbers(self) -> set[str]:
        found = set(self._spelled)
        for number in numbers_in(self._text):
            found.update(number.meanings, number.parts)
        found.update(str(minute // 60) for minute in self._minutes)
        return found

    @cached_property
    def _amounts(self) -> list[float]:
        return [value for text in self._numbers if (value := _float(text)) is not None]

    @cached_property
    def _fractions(self) -> list[float]:
        return [value for value in self._amounts if value != int(value)]


def _is_word_with_number(value: str) -> bool:
    """`30-day`, `5kg`, `2nd`: the number alone counts; `v2`: too short to tell."""
    if len(value) < SHORTEST_ID_CHARS:
        return True
    return _QUANTITY.fullmatch(value) is not None or _COMPOUND.fullmatch(value) is not None


def _is_count(number: Number, text: str) -> bool:
    """A small whole number without a currency or a percent sign."""
    if not number.text.isdigit() or int(number.text[:4]) > LARGEST_COUNT:
        return False
    around = text[max(0, number.start - 2) : number.start] + " " + text[number.end : number.end + 9]
    return _COSTS.search(around) is None


def _all_in(numbers: Iterable[Number], known: set[str]) -> bool:
    return all(not known.isdisjoint(number.meanings) or known.issuperset(number.parts) for number in numbers)


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
