"""Keeps the newest turns, or groups."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from turnfold.compaction.strategy import TriggeredStrategy, at_least, beyond_floor, given_floor, given_once
from turnfold.groups import MessageGroup
from turnfold.index import MessageIndex
from turnfold.triggers import CompactionTrigger, NonSystemExceed, TurnsExceed


class SlidingWindowStrategy(TriggeredStrategy):
    """Hides whole turns, oldest first; what stands before the first user message stays, and so do summaries.

    Args:
        trigger, target: when to start, when to stop.
        minimum_preserved: how many of the newest turns (with `keep_last_groups`: groups) stay; 1.
        minimum_preserved_turns: another name of `minimum_preserved`; with `keep_last_groups` that is
            `minimum_preserved_groups`.
        keep_last_turns: shorthand: keep this many turns.
        keep_last_groups: shorthand: keep this many non-system groups, whatever their turns.
        preserve_system: False lets system groups go as well: those that stand before what is kept.
    """

    name = "sliding_window"
    default_minimum_preserved = 1

    def __init__(
        self,
        *,
        keep_last_turns: int | None = None,
        keep_last_groups: int | None = None,
        trigger: CompactionTrigger | None = None,
        target: CompactionTrigger | None = None,
        minimum_preserved: int | None = None,
        minimum_preserved_turns: int | None = None,
        minimum_preserved_groups: int | None = None,
        preserve_system: bool = True,
    ) -> None:
        self.unit: Literal["turn", "group"] = "turn" if keep_last_groups is None else "group"
        if keep_last_turns is not None and keep_last_groups is not None:
            raise ValueError("keep_last_groups: keep_last_turns is given already; leave one of the two out")
        minimum_preserved = self._floor(minimum_preserved, minimum_preserved_turns, minimum_preserved_groups)
        for name, kept in (("keep_last_turns", keep_last_turns), ("keep_last_groups", keep_last_groups)):
            given_once(name, kept, trigger)
            if kept is not None:
                at_least(name, kept, 1)
                trigger = TurnsExceed(kept) if self.unit == "turn" else NonSystemExceed(kept, "non_system_groups")
                minimum_preserved = kept if minimum_preserved is None else minimum_preserved
                break
        if trigger is None:
            raise ValueError("trigger: give a trigger, or keep_last_turns or keep_last_groups as a shorthand for one")
        super().__init__(trigger=trigger, target=target, minimum_preserved=minimum_preserved)
        self.preserve_system = preserve_system

    def _floor(self, floor: int | None, turns: int | None, groups: int | None) -> int | None:
        """The floor by whichever of its names it was given; its unit must be the window's."""
        if groups is not None and self.unit == "turn":
            raise ValueError("minimum_preserved_groups: this window keeps turns; give minimum_preserved_turns")
        if turns is not None and self.unit == "group":
            raise ValueError("minimum_preserved_turns: this window keeps groups; give minimum_preserved_groups")
        return given_floor(floor, minimum_preserved_turns=turns, minimum_preserved_groups=groups)

    def units(self, index: MessageIndex) -> Iterable[list[MessageGroup]]:
        units = self._turns(index) if self.unit == "turn" else self._groups(index)
        return units if self.preserve_system else self._with_system(index, units)

    def _groups(self, index: MessageIndex) -> Iterable[list[MessageGroup]]:
        movable = [g for g in index.included_groups if not g.is_system]
        return ([g] for g in beyond_floor(movable, self.minimum_preserved))

    def _turns(self, index: MessageIndex) -> list[list[MessageGroup]]:
        turns: dict[int, list[MessageGroup]] = {}
        for group in index.included_groups:
            if group.turn:
                turns.setdefault(group.turn, []).append(group)
        ordered = [turns[turn] for turn in sorted(turns)]
        return ordered[: max(0, len(ordered) - self.minimum_preserved)]

    def _with_system(self, index: MessageIndex, units: Iterable[list[MessageGroup]]) -> list[list[MessageGroup]]:
        """Each system group joins the unit that it stands before."""
        waiting = [g for g in index.included_groups if g.is_system]
        filled: list[list[MessageGroup]] = []
        for unit in units:
            before = [g for g in waiting if g.place < unit[-1].place]
            waiting = waiting[len(before) :]
            filled.append([*before, *unit])
        return filled
