"""A text as its sentences, each one line of bounded length."""

from __future__ import annotations

import re
from collections.abc import Iterator

from turnfold.summaries.one_line import one_line, word_end

MAX_SENTENCE_CHARS = 400

_END = re.compile(r"(?<=[^\d\s.][.!?])\s+(?=[A-Z\"'“(\[\d])|(?<=[。！？；])")
_BULLET = re.compile(r"^\s{0,40}(?:[-*•>#|]{1,8}|\d{1,3}[.)])\s+")
_BOLD = re.compile(r"(?<!\w)\*\*(\S[^*\n]{0,200})\*\*(?!\w)")  # not the power signs of `x**2 + y**2`


def sentences(text: str) -> Iterator[str]:
    """The sentences line by line, without marks of lists and of bold type."""
    for line in text.splitlines():
        for sentence in _END.split(_BOLD.sub(r"\1", _BULLET.sub("", line))):
            yield from _pieces(one_line(sentence))


def _pieces(line: str) -> Iterator[str]:
    """A line in pieces of bounded length, cut at a space where there is one."""
    start = 0
    while len(line) - start > MAX_SENTENCE_CHARS:
        cut = line.rfind(" ", start + MAX_SENTENCE_CHARS // 2, start + MAX_SENTENCE_CHARS)
        cut = cut if cut > 0 else word_end(line, start + MAX_SENTENCE_CHARS)
        yield line[start:cut].strip()
        start = cut
    if rest := line[start:].strip():
        yield rest
