"""Replies that go round in circles: a fault of small models above all."""

from __future__ import annotations

import re
from collections import Counter

_SENTENCE_END = re.compile(r"(?<=[.!?。！？؟])\s+|(?<=[。！？])|\n+|\s*\|\s*(?=\S)")
_WORD = re.compile(r"[^\W_]+")
_HAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_TAIL = re.compile(r"(.{2,80}?)\1{5,}\W*$", re.DOTALL)

LEAST_SENTENCE_CHARS = 12
SAME_SENTENCE = 3
LEAST_WORDS = 40
LEAST_DISTINCT = 0.5  # of the runs of three words
TAIL_CHARS = 600


def is_loop(text: str) -> bool:
    """The same sentence three times, runs of words that come again and again, or an end that repeats itself."""
    prose = re.sub(r"```.*?```", " ", text, flags=re.DOTALL)
    return _repeats_a_sentence(prose) or _repeats_runs(prose) or _ends_in_a_loop(prose)


def _repeats_a_sentence(text: str) -> bool:
    if text.count("|") > 8:  # the rows of a table may be alike
        return False
    sentences = [" ".join(_WORD.findall(part.casefold())) for part in _SENTENCE_END.split(text) if part]
    long = Counter(sentence for sentence in sentences if _width(sentence) >= LEAST_SENTENCE_CHARS)
    return bool(long) and long.most_common(1)[0][1] >= SAME_SENTENCE


def _width(text: str) -> int:
    """Characters; a sign of Chinese says as much as two letters."""
    return len(text) + len(_HAN.findall(text))


def _repeats_runs(text: str) -> bool:
    words = _words(text)
    if len(words) < LEAST_WORDS:
        return False
    runs = list(zip(words, words[1:], words[2:], strict=False))
    return len(set(runs)) < LEAST_DISTINCT * len(runs)


def _words(text: str) -> list[str]:
    """Words; each sign of a script without spaces by itself."""
    return re.findall(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+", text.casefold())


def _ends_in_a_loop(text: str) -> bool:
    tail = text[-TAIL_CHARS:]
    match = _TAIL.search(tail)
    return match is not None and any(sign.isalnum() for sign in match[1])
