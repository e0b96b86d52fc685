"""Keeping to a number of tokens, exactly, with few counts."""

from __future__ import annotations

from collections.abc import Callable

CUT = " […]"
CHARS_PER_TOKEN = 16  # no text in use has more on average; bounds what is counted


def longest_prefix(size: int, fits: Callable[[int], bool]) -> int:
    """The largest number of items that fits, found by halving; -1 where not even none does."""
    if fits(size):
        return size
    low, high = -1, size
    while high - low > 1:
        middle = (low + high) // 2
        if fits(middle):
            low = middle
        else:
            high = middle
    return low


def cut_to(text: str, max_tokens: int, count_tokens: Callable[[str], int]) -> str:
    """The text whole where it fits, else as much of its start as does, with a mark; empty where nothing fits."""
    if len(text) <= max_tokens * CHARS_PER_TOKEN and count_tokens(text) <= max_tokens:
        return text
    start = text[: max(0, max_tokens) * CHARS_PER_TOKEN]

    def shortened(length: int) -> str:
        return start[:length].rstrip() + CUT

    length = longest_prefix(len(start), lambda n: count_tokens(shortened(n)) <= max_tokens)
    if length > 0:
        return shortened(length)
    bare = longest_prefix(len(start), lambda n: count_tokens(start[:n]) <= max_tokens)
    return start[:bare] if bare > 0 else ""
