"""Messages of frameworks that hold several things at once: a user's text, and the results of two calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeVar

from turnfold.adapters.following.history_view import Shown
from turnfold.messages import Message

M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class Line:
    """One chat message, with where it was read from.

    Attributes:
        at: the framework's message, by its place in the history.
        parts: which parts of it, by their places in it.
    """

    message: dict[str, Any]
    at: int
    parts: tuple[int, ...]


def assembled(
    shown: Iterable[Shown],
    lines: Sequence[Line],
    *,
    part_of: Callable[[int, Sequence[int] | None], M],
    made: Callable[[Message], M],
) -> list[M]:
    """What is shown as messages of the framework.

    Args:
        part_of: the framework's message at a place: as it is (None), or with some of its parts only.
        made: a message that compaction made.
    """
    whole = {at: sum(len(line.parts) for line in run) for at, run in groupby(lines, key=lambda line: line.at)}
    messages: list[M] = []
    for at, run in groupby(shown, key=lambda one: None if isinstance(one, Message) else lines[one].at):
        if at is None:
            messages += [made(one) for one in run if isinstance(one, Message)]
            continue
        parts = [part for one in run if isinstance(one, int) for part in lines[one].parts]
        messages.append(part_of(at, None if len(parts) == whole[at] else sorted(parts)))
    return messages
