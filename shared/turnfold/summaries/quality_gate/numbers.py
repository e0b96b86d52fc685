"""Numbers as they are written, and what they may mean: `1.234` is one and a bit, or a thousand and some."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

_RUN = re.compile(r"\d{1,3}(?:[ \u00a0\u202f'’]\d{3})+(?:[.,]\d{1,6})?(?!\d)|\d+(?:[.,]\d+)*")
_END = r"(?![^\W\d_])"  # no letter may follow
_SCALE = re.compile(
    rf"\s?(?:((?:k|tsd|thousand|tausend|mille|mil|тыс|ألف){_END}|千)|(万|萬|만)"
    rf"|((?:m|mm|mio|million|millions|millionen|millones|milhões|млн|مليون){_END})|(亿|億|억)"
    rf"|((?:bn|b|billion|billions|mrd|milliarden|млрд|مليار){_END}))",
    re.IGNORECASE,
)
_SCALES = (1_000, 10_000, 1_000_000, 100_000_000, 1_000_000_000)
_CLOCK = re.compile(
    r"(?<![\d:.])(\d{1,2})(?:[:.h](\d\d))?(?::\d\d)?\s?([ap])\.?m\b|(?<![\d:])(\d{1,2}):(\d\d)(?!\d)"
    r"|(?<![\d:.])(\d{1,2})\s?(?:時|时|点|點|시|uhr\b|h\b|час)",
    re.IGNORECASE,
)
MAX_DIGITS = 40
_OTHER_DIGITS = re.compile(r"(?![0-9])\d")


@dataclass(frozen=True, slots=True)
class Number:
    """A number where it stands, with all that it may mean.

    Attributes:
        text: as written.
        start, end: its place, without a scale behind it.
        meanings: in plain digits, scaled ones among them.
        parts: the runs of digits within it; of a date they count one by one.
    """

    text: str
    start: int
    end: int
    meanings: frozenset[str]
    parts: tuple[str, ...]


def western(text: str) -> str:
    """The text with digits and separators of all scripts as those of Latin script."""
    text = _OTHER_DIGITS.sub(lambda match: str(unicodedata.decimal(match.group())), text)
    return text.replace("\u066b", ".").replace("\u066c", ",").replace("\u066a", "%").replace("\uff05", "%")


def numbers_in(text: str) -> Iterator[Number]:
    """The numbers of a western text."""
    for match in _RUN.finditer(text):
        written = match.group()
        parts = tuple(plain(part) for part in re.findall(r"\d+", written))
        meanings = _meanings(written)
        if scale := _SCALE.match(text, match.end()):
            factor = next(value for value, found in zip(_SCALES, scale.groups(), strict=True) if found)
            meanings |= {str_of(value * factor) for meaning in meanings if (value := _decimal(meaning)) is not None}
        yield Number(written, match.start(), match.end(), frozenset(meanings), parts)


def clock_times(text: str) -> Iterator[tuple[int, int, frozenset[int]]]:
    """Times of day where they stand: start, end, and the minutes of the day that they may mean."""
    for match in _CLOCK.finditer(text):
        hour, minute = int(match[1] or match[4] or match[6]), int(match[2] or match[5] or 0)
        if hour > 24 or minute > 59:
            continue
        half = (match[3] or "").lower()
        if half:
            hours = {hour % 12 + (12 if half == "p" else 0)}
        else:
            hours = {hour, hour + 12} if hour < 12 else {hour, hour - 12}
        yield match.start(), match.end(), frozenset(60 * (one % 24) + minute for one in hours)


def plain(digits: str) -> str:
    """Without leading zeros."""
    return digits.lstrip("0") or "0"


def str_of(value: Decimal) -> str:
    """A number without needless zeros."""
    text = format(value, "f")
    return (
        plain(text.rstrip("0").rstrip(".") if "." in text else text) if not text.startswith("0.") else text.rstrip("0")
    )


def _meanings(written: str) -> set[str]:
    marks = re.findall(r"\D", written)
    if not marks or len(written) > MAX_DIGITS:
        return {plain(written)}
    groups = re.split(r"\D", written)
    found: set[str] = {written}
    if len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:]):
        found.add(plain("".join(groups)))
    if marks[-1] in ".," and (len(marks) == 1 or marks[-1] not in marks[:-1]):
        found.add(str_of(Decimal(f"{''.join(groups[:-1])}.{groups[-1]}")))
    return found


def _decimal(text: str) -> Decimal | None:
    return Decimal(text) if len(text) < MAX_DIGITS and text.replace(".", "", 1).isdigit() else None
