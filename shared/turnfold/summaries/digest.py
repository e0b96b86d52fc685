"""The form of an extractive summary: requests, ledger, lines; written here, and read again when summaries are folded.

```
First request: Please move my booking to May 20.
Latest request: Yes, go on.
booking_id: UM3OG5
date: 2024-05-20, 2024-05-26
- assistant: The fare rises by $30. … Shall I go on?
- call update_booking(booking_id=UM3OG5, date=2024-05-20)
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from turnfold.summaries.facts import MAX_VALUE_CHARS, Mention, field_fact
from turnfold.summaries.ledger import Fact, ledger_lines
from turnfold.summaries.one_line import one_line
from turnfold.summaries.unit import Unit
from turnfold.summaries.units import spoken_units

FIRST = "First request: "
LATEST = "Latest request: "
LEDGER_HEAD = "Ledger:"  # before the ledger that rides with a model's prose
GAP = " … "
EARLIER = "earlier"  # the speaker of what an earlier summary says in prose
EARLIER_POSITION = -1

_LINE = re.compile(r"- (user|assistant|tool [\w.-]+|tool|earlier|[a-z]{1,12}): (.+)")
_CALL = re.compile(r"- call (.+)")
_LEDGER = re.compile(r"([^:,]{1,40}): (.+)")
_CORRECTED = re.compile(r"(.+) \(was (.+)\)")
_VALUE = re.compile(r'"([^"]*)"(?:, |$)|(.+?)(?:, |$)')


@dataclass(frozen=True, slots=True)
class EarlierDigest:
    """An earlier summary, read."""

    first: str
    latest: str
    units: tuple[Unit, ...]


def written(first: str, latest: str, facts: Sequence[Fact], units: Sequence[tuple[int, Unit]]) -> str:
    """The text of a digest.

    Args:
        first, latest: the requests, empty where there is none, or where the latest is the first.
        facts: the ledger, best first.
        units: chosen lines, with their index among all units; in any order.
    """
    lines = [f"{FIRST}{first}"] if first else []
    if latest:
        lines.append(f"{LATEST}{latest}")
    lines += ledger_lines(facts)
    lines += _unit_lines(sorted(units, key=lambda pair: pair[0]))
    return "\n".join(lines)


def _unit_lines(units: Sequence[tuple[int, Unit]]) -> Iterator[str]:
    """A line for each message of which something is quoted; what is left out between is shown."""
    line = ""
    before: tuple[int, Unit] | None = None
    for index, unit in units:
        if before is not None and _same_line(before[1], unit):
            line += (" " if index == before[0] + 1 else GAP) + unit.text
        else:
            if line:
                yield line
            line = f"- call {unit.text}" if unit.is_call else f"- {unit.speaker}: {unit.text}"
        before = (index, unit)
    if line:
        yield line


def _same_line(before: Unit, unit: Unit) -> bool:
    if before.is_call or unit.is_call or unit.is_carried:
        return False
    return (before.position, before.speaker) == (unit.position, unit.speaker)


def read_again(text: str) -> EarlierDigest:
    """An earlier summary as units; a model's prose becomes sentences, and the ledger that rides along is seen."""
    first = latest = ""
    units: list[Unit] = []
    for raw in text.splitlines():
        line = one_line(raw)
        if line.startswith(FIRST.strip()):
            first = line.removeprefix(FIRST.strip()).strip()
        elif line.startswith(LATEST.strip()):
            latest = line.removeprefix(LATEST.strip()).strip()
        elif line and line != LEDGER_HEAD:
            units += _carried_units(line)
    return EarlierDigest(first, latest, tuple(units))


def _carried_units(line: str) -> Iterator[Unit]:
    if match := _CALL.fullmatch(line):
        yield from _carried("call", match[1], is_call=True)
    elif match := _LINE.fullmatch(line):
        yield from _carried(match[1], match[2])
    elif (match := _LEDGER.fullmatch(line)) and (values := _ledger_values(match[2])):
        mentions = tuple(_carried_value(match[1], value) for value in values)
        yield Unit(EARLIER_POSITION, EARLIER, "", mentions, is_carried=True)
    else:
        yield from _carried(EARLIER, line)


def _carried(speaker: str, text: str, *, is_call: bool = False) -> Iterator[Unit]:
    for unit in spoken_units(EARLIER_POSITION, speaker, text):
        yield Unit(EARLIER_POSITION, speaker, unit.text, unit.mentions, is_call, is_carried=True)


def _carried_value(label: str, value: str) -> Mention:
    if corrected := _CORRECTED.fullmatch(value):
        return field_fact(label, corrected[1])._replace(was=tuple(corrected[2].split(" / ")))
    return field_fact(label, value)


def _ledger_values(text: str) -> list[str]:
    """The values of a ledger line; none where the line is prose with a colon in it."""
    if text.endswith((".", "!", "?")):
        return []
    values = [quoted or plain for quoted, plain in _VALUE.findall(text)]
    return values if all(0 < len(value) <= MAX_VALUE_CHARS for value in values) else []
