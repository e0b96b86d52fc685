"""Replacing values by marks, in texts and in whole messages."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any

from turnfold.jsonio import is_array, is_object
from turnfold.messages import Message
from turnfold.redaction.marks import Marks
from turnfold.redaction.patterns import Pattern

# What a format gives these fields is no text of anybody's.
_OF_THE_FORMAT = frozenset({"role", "type", "id", "tool_call_id"})


class Redactor:
    """
    Args:
        patterns: what to redact; where two match, the earlier one counts.
    """

    def __init__(self, patterns: Sequence[Pattern]) -> None:
        self._patterns = patterns

    def text(self, text: str, marks: Marks) -> str:
        """The text with marks in the place of values."""
        pieces: list[str] = []
        end = 0
        for start, stop, kind in self._spans(text):
            pieces += (text[end:start], marks.mark_of(kind, text[start:stop]))
            end = stop
        return "".join((*pieces, text[end:]))

    def message(self, message: Message, marks: Marks) -> Message:
        """The message with marks in each of its texts; itself where nothing is redacted."""
        redacted: Any = {name: self._value(name, value, marks) for name, value in message.items()}
        return message if redacted == dict(message) else Message.marked(redacted, message.metadata)

    def _value(self, name: str, value: Any, marks: Marks) -> Any:
        if isinstance(value, str):
            return value if name in _OF_THE_FORMAT else self.text(value, marks)
        if is_object(value):
            return {key: self._value(key, item, marks) for key, item in value.items()}
        if is_array(value):
            return [self._value(name, item, marks) for item in value]
        return value

    def _spans(self, text: str) -> Iterator[tuple[int, int, str]]:
        """What to replace, in order, none within another."""
        taken: list[tuple[int, int, str]] = []
        for pattern in self._patterns:
            free = [(*span, pattern.kind) for span in pattern.spans(text) if _is_free(taken, *span)]
            taken = sorted([*taken, *free])
        return iter(taken)


def _is_free(taken: Sequence[tuple[int, int, str]], start: int, stop: int) -> bool:
    behind = bisect_left(taken, (start, stop, ""))
    return (behind == 0 or taken[behind - 1][1] <= start) and (behind == len(taken) or taken[behind][0] >= stop)
