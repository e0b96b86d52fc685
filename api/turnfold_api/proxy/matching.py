"""Which messages of a request's body are new to a log.

Chat messages have no ids, and a whole history and a new part can look the same. What ends the log decides: the
longest stretch of the body that is the log's end. What follows it is new.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

History = Literal["auto", "full", "delta"]


def first_new(log: Sequence[str], body: Sequence[str], *, is_resent: bool) -> int | None:
    """Where in the body the new messages begin; None: the history that it repeats is not the log's.

    Args:
        log, body: fingerprints, instructions at the beginning left out.
        is_resent: the body repeats what was said before, as against a body of new messages alone.
    """
    if not log:
        return 0
    best = max(_overlaps(log, body), default=(0, 0))
    overlap, end = best
    if overlap == 0:
        return None if is_resent else 0
    before = body[: end - overlap]
    # A client may leave out messages from the middle; one that the log does not have was edited.
    return end if _is_within(before, log[: len(log) - overlap]) else None


def common_start(log: Sequence[str], body: Sequence[str]) -> int:
    """How many messages both begin with."""
    pairs = zip(log, body, strict=False)
    return next((i for i, (ours, theirs) in enumerate(pairs) if ours != theirs), min(len(log), len(body)))


def has_turn(log: Sequence[str], body: Sequence[str]) -> bool:
    """Whether the log ends with the whole body and one more message: the turn was stored already."""
    return len(log) > 1 and bool(body) and first_new(log[:-1], body, is_resent=True) == len(body)


def _overlaps(log: Sequence[str], body: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Length and end of each stretch of the body that is the end of the log."""
    for end in range(1, len(body) + 1):
        length = 0
        while length < min(end, len(log)) and body[end - 1 - length] == log[-1 - length]:
            length += 1
        if length:
            yield length, end


def _is_within(some: Sequence[str], log: Sequence[str]) -> bool:
    """Whether all of `some` stand in the log, in that order."""
    rest = iter(log)
    return all(one in rest for one in some)
