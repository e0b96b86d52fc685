"""Keeping to a number of tokens, exactly, with few counts."""

from __future__ import annotations

from collections.abc import Callable

from turnfold.summaries.one_line import word_end

CUT = " […]"
CHARS_PER_TOKEN = 16  # no text in use has more on average; bounds what is counted


def cut_to(text: str, max_tokens: int, count_tokens: Callable[[str], int]) -> str:
    """The text whole where it fits, else as much of its start as does, with a mark.

    Without the mark where there is no room for both; empty where not one character fits.
    """
    if len(text) <= max_tokens * CHARS_PER_TOKEN and count_tokens(text) <= max_tokens:
        return text
    start = text[: max(0, max_tokens) * CHARS_PER_TOKEN]

    def marked(length: int) -> str:
        return start[: word_end(text, length)].rstrip() + CUT

    length = _longest(len(start), lambda n: count_tokens(marked(n)) <= max_tokens)
    if length > 0:
        return marked(length)
    bare = _longest(len(start), lambda n: count_tokens(start[:n]) <= max_tokens)
    return start[:bare]


def _longest(size: int, fits: Callable[[int], bool]) -> int:
    """The largest number up to `size` that fits, found by halving; 0 where none does."""
    low, high = 0, size + 1
    while high - low > 1:
        middle = (low + high) // 2
        if fits(middle):
            low = middle
        else:
            high = middle
    return low
