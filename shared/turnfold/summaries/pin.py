"""A pin: what the backend has marked as never to be lost. It stands in every summary to the letter.

In a summary a pin is a block of its own: a head that says how many lines follow, then the text as it is. The number is
ours, so that no text can end its block early, or begin another one.

    Pinned (user, 2 lines):
    No nuts, whatever the recipe says.
    My son is allergic.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from turnfold.summaries.one_line import plain_name

FACT = "fact"

_HEAD = re.compile(r"Pinned \([\w.-]{1,64}, (\d{1,6}) lines?\):")


@dataclass(frozen=True, slots=True)
class Pin:
    """A text to be kept, and who said it: a role, or `fact` for what the backend itself wrote down."""

    text: str
    speaker: str = FACT

    @property
    def block(self) -> str:
        """The pin as it stands in a summary."""
        count = len(self.text.split("\n"))
        return f"Pinned ({plain_name(self.speaker)}, {count} line{'s' if count > 1 else ''}):\n{self.text}"


def pin_blocks(pins: Iterable[Pin]) -> str:
    """All pins, each text once."""
    return "\n".join({pin.text: pin.block for pin in pins}.values())


def without_pin_blocks(text: str, pins: Iterable[Pin]) -> str:
    """A summary's text without the blocks of these pins: they are known apart.

    What was pinned once and is not any more stays, as text like any other.
    """
    known = {pin.text for pin in pins}
    kept: list[str] = []
    lines = text.split("\n")
    while lines:
        line = lines.pop(0)
        if match := _HEAD.fullmatch(line):
            pinned, lines = lines[: int(match[1])], lines[int(match[1]) :]
            kept += [] if "\n".join(pinned) in known else pinned
        else:
            kept.append(line)
    return "\n".join(kept)


def is_pin_head(line: str) -> bool:
    """Whether a line begins a pin's block."""
    return _HEAD.fullmatch(line.strip()) is not None
