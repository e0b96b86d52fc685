"""Which groups a summary is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from turnfold.compaction.strategy import beyond_floor
from turnfold.groups import MessageGroup
from turnfold.index import MessageIndex
from turnfold.messages import Message
from turnfold.triggers import CompactionTrigger

NOTHING_TO_DO = "nothing_to_do"
TOO_LARGE = "no_group_fits_the_input"
_MARK = "selected"


@dataclass(frozen=True, slots=True)
class Selection:
    """Groups to fold, oldest first; empty with the reason why."""

    groups: tuple[MessageGroup, ...]
    reason: str | None = None


def select(
    index: MessageIndex,
    *,
    floor: int,
    target: CompactionTrigger,
    may_take: Callable[[MessageIndex, MessageGroup], bool] = lambda _index, _group: True,
) -> Selection:
    """The oldest included non-system groups outside the floor, until the target holds or `may_take` says no.

    The target is asked as if what is selected were gone; the index is afterwards as it was before.
    """
    if target(index):  # it held before the first group
        return Selection((), NOTHING_TO_DO)
    candidates = beyond_floor([g for g in index.included_groups if not g.is_system], floor)
    chosen: list[MessageGroup] = []
    try:
        for group in candidates:
            if not may_take(index, group):
                break
            index.exclude(group, _MARK)
            chosen.append(group)
            if target(index):
                break
    finally:
        for group in chosen:
            index.include(group)
    if not chosen:
        return Selection((), TOO_LARGE if candidates else NOTHING_TO_DO)
    if len(chosen) == 1 and chosen[0].durable:
        return Selection((), NOTHING_TO_DO)
    return Selection(tuple(chosen))


def with_unsendable(index: MessageIndex, chosen: tuple[MessageGroup, ...]) -> tuple[MessageGroup, ...]:
    """The selection with the orphans and dangling calls between its groups: hidden from the model, but not lost."""
    if not chosen:
        return chosen
    ids, last = {g.id for g in chosen}, chosen[-1].place
    between = [g for g in index.groups if g.is_live and not g.included and not g.is_system and g.place < last]
    return tuple(sorted([*chosen, *(g for g in between if g.id not in ids)], key=lambda g: g.place))


def originals(index: MessageIndex, group: MessageGroup) -> list[Message]:
    """The group's messages; of a collapsed line those of its source."""
    if group.is_log or group.durable:
        return group.messages
    return [m for source in group.summary_of if (g := index.group(source)) for m in g.messages]
