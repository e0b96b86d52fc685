"""Items in order, in stretches that each fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def stretches(items: Sequence[T], costs: Sequence[int], room: int) -> list[list[T]]:
    """As much in each as fits; an item that is more than the room by itself is alone."""
    return _cut_up(items, costs, room, share=room)


def even_stretches(items: Sequence[T], costs: Sequence[int], room: int) -> list[list[T]]:
    """As few as can be, about equal."""
    total = sum(costs)
    return _cut_up(items, costs, room, share=-(-total // max(1, -(-total // room))))


def _cut_up(items: Sequence[T], costs: Sequence[int], room: int, *, share: int) -> list[list[T]]:
    found: list[list[T]] = []
    spent = before = 0
    for item, cost in zip(items, costs, strict=True):
        if not found or spent + cost > room or before >= share * len(found):
            found.append([])
            spent = 0
        found[-1].append(item)
        spent += cost
        before += cost
    return found
