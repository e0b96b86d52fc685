"""Marks that stand for redacted values: `[EMAIL_7KQ2]`. The same value has the same mark throughout its session."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping

# No letters that are read as digits, and the other way round.
_LETTERS, _DIGITS = "ABCDEFGHJKMNPQRSTUVWXYZ", "23456789"


class Marks:
    """
    Args:
        known: values by their marks, as an earlier job left them.

    Attributes:
        new: those that have come since.
    """

    def __init__(self, known: Mapping[str, str] | None = None) -> None:
        self._values = dict(known or {})
        self._marks = {value: mark for mark, value in self._values.items()}
        self.new: dict[str, str] = {}

    def mark_of(self, kind: str, value: str) -> str:
        """The mark that stands for the value."""
        mark = self._marks.get(value)
        if mark is None:
            mark = _new_mark(kind)
            while mark in self._values:
                mark = _new_mark(kind)
            self._values[mark] = self.new[mark] = value
            self._marks[value] = mark
        return mark

    def undone(self, text: str) -> str:
        """The text with each mark replaced by its value, also where a model has lost its brackets."""
        if not self._values:
            return text
        by_name = {mark[1:-1]: value for mark, value in self._values.items()}
        # Models that write Markdown escape the line.
        names = "|".join(name.replace("_", r"\\?_") for name in by_name)
        pattern = re.compile(rf"\[({names})\\?\]|(?<!\w)({names})(?!\w)")
        return pattern.sub(lambda match: by_name[(match[1] or match[2]).replace("\\", "")], text)


def _new_mark(kind: str) -> str:
    """With a digit in it: a mark that a model makes up is then a value that its sources don't have."""
    code = [secrets.choice(_LETTERS) for _ in range(3)]
    code.insert(secrets.randbelow(4), secrets.choice(_DIGITS))
    return f"[{kind.upper()}_{''.join(code)}]"
