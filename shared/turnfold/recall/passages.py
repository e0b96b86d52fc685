"""A text cut into passages: what is found is a passage, not a message of a hundred pages."""

from __future__ import annotations

import re
from collections.abc import Iterator

PASSAGE_CHARS = 500
# A passage ends where a sentence does, or else a clause, or else a word; behind its middle, where it can.
_ENDS = (
    re.compile(r"[.!?…]['\"”’)\]]*\s+|[。！？]|\n+"),
    re.compile(r"[,;:}\]]\s*|[，；、]"),
    re.compile(r"\s+"),
)


def passages(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each passage; together they are the text."""
    start = 0
    while len(text) - start > PASSAGE_CHARS:
        end = _end(text, start)
        yield start, end
        start = end
    if start < len(text):
        yield start, len(text)


def _end(text: str, start: int) -> int:
    middle, last = start + PASSAGE_CHARS // 2, start + PASSAGE_CHARS
    for pattern in _ENDS:
        ends = [match.end() for match in pattern.finditer(text, middle, last)]
        if ends:
            return ends[-1]
    return last
