"""Drops old tool calls and their results without a trace."""

from __future__ import annotations

from collections.abc import Iterable

from turnfold.compaction.strategy import TriggeredStrategy, beyond_floor, given_floor
from turnfold.compaction.tool_result import tool_call_trigger
from turnfold.groups import MessageGroup
from turnfold.index import MessageIndex
from turnfold.triggers import CompactionTrigger


class SelectiveToolCallCompactionStrategy(TriggeredStrategy):
    """Hides tool-call groups, oldest first, and leaves no text in their place.

    Args:
        trigger, target: when to start, when to stop.
        minimum_preserved: how many of the newest non-system groups are never touched; 0.
        minimum_preserved_groups: another name of `minimum_preserved`.
        keep_last_tool_call_groups: how many of the newest tool-call groups stay (0: all go; with a trigger alone: 1);
            without a trigger it is also when to start.
    """

    name = "selective_tool_call"
    default_minimum_preserved = 0

    def __init__(
        self,
        *,
        keep_last_tool_call_groups: int | None = None,
        trigger: CompactionTrigger | None = None,
        target: CompactionTrigger | None = None,
        minimum_preserved: int | None = None,
        minimum_preserved_groups: int | None = None,
    ) -> None:
        trigger, target = tool_call_trigger(keep_last_tool_call_groups, trigger, target)
        floor = given_floor(minimum_preserved, minimum_preserved_groups=minimum_preserved_groups)
        super().__init__(trigger=trigger, target=target, minimum_preserved=floor)
        self.keep_last_tool_call_groups = 1 if keep_last_tool_call_groups is None else keep_last_tool_call_groups

    def units(self, index: MessageIndex) -> Iterable[list[MessageGroup]]:
        movable = beyond_floor([g for g in index.included_groups if not g.is_system], self.minimum_preserved)
        calls = beyond_floor([g for g in movable if g.is_tool_call], self.keep_last_tool_call_groups)
        return ([g] for g in calls if not g.open_calls)
