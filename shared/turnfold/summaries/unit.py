"""The unit: one line that a summary may quote."""

from __future__ import annotations

from typing import NamedTuple

from turnfold.summaries.facts import Mention


class Unit(NamedTuple):
    """A line that the summary may quote.

    Attributes:
        position: of the message in the source, counted from 0; earlier summaries stand before, at -1.
        speaker: `user`, `assistant`, `call`, `tool NAME`, `earlier`.
        text: one line; empty where only the values count.
        mentions: its values.
        is_call: arguments that the assistant gave to a tool.
        is_carried: a line of an earlier summary.
    """

    position: int
    speaker: str
    text: str
    mentions: tuple[Mention, ...]
    is_call: bool = False
    is_carried: bool = False
