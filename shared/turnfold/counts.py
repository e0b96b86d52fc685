"""Running totals over a set of groups, each change O(1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from turnfold.groups import MessageGroup

_SUMS = ("messages", "groups", "tokens", "bytes", "non_system_messages", "non_system_groups", "tool_call_groups")


@dataclass(slots=True)
class Counts:
    """Totals of the groups added and not removed.

    `turns` counts the distinct turns, turn 0 aside; `turn_groups` says how many groups each has, to know when one ends.
    """

    messages: int = 0
    groups: int = 0
    tokens: int = 0
    bytes: int = 0
    non_system_messages: int = 0
    non_system_groups: int = 0
    tool_call_groups: int = 0
    turns: int = 0
    turn_groups: dict[int, int] = field(default_factory=dict[int, int])

    def add(self, group: MessageGroup) -> None:
        messages = group.message_count
        self.messages += messages
        self.groups += 1
        self.tokens += group.token_count
        self.bytes += group.byte_count
        if not group.is_system:
            self.non_system_messages += messages
            self.non_system_groups += 1
        if group.is_tool_call:
            self.tool_call_groups += 1
        if turn := group.turn:
            before = self.turn_groups.get(turn, 0)
            self.turn_groups[turn] = before + 1
            self.turns += not before

    def add_all(self, groups: Iterable[MessageGroup]) -> None:
        """As `add` for each, in one go: a whole conversation is counted when it is read."""
        turns = self.turn_groups
        messages = tokens = size = system_messages = system_groups = calls = count = 0
        for count, group in enumerate(groups, 1):  # noqa: B007  # the last one is the number of groups
            group.counted = True
            messages += group.message_count
            tokens += group.token_count
            size += group.byte_count
            if group.is_tool_call:
                calls += 1
            elif group.is_system:
                system_groups += 1
                system_messages += group.message_count
            if turn := group.turn:
                turns[turn] = turns.get(turn, 0) + 1
        self.messages += messages
        self.tokens += tokens
        self.bytes += size
        self.groups += count
        self.tool_call_groups += calls
        self.non_system_messages += messages - system_messages
        self.non_system_groups += count - system_groups
        self.turns = len(turns)

    def remove(self, group: MessageGroup) -> None:
        messages = group.message_count
        self.messages -= messages
        self.groups -= 1
        self.tokens -= group.token_count
        self.bytes -= group.byte_count
        if not group.is_system:
            self.non_system_messages -= messages
            self.non_system_groups -= 1
        if group.is_tool_call:
            self.tool_call_groups -= 1
        if turn := group.turn:
            left = self.turn_groups[turn] - 1
            self.turns -= not left
            if left:
                self.turn_groups[turn] = left
            else:
                del self.turn_groups[turn]

    def add_to_group(self, group: MessageGroup, tokens: int, byte_count: int) -> None:
        """A message joined a group that is counted already."""
        self.messages += 1
        self.tokens += tokens
        self.bytes += byte_count
        self.non_system_messages += not group.is_system

    def copy(self) -> Counts:
        return replace(self, turn_groups=dict(self.turn_groups))

    def to_dict(self, keep_turns: set[int]) -> dict[str, Any]:
        """As JSON; of `turn_groups` only the turns that can still change."""
        known = {str(turn): self.turn_groups[turn] for turn in sorted(keep_turns) if turn in self.turn_groups}
        return {name: getattr(self, name) for name in _SUMS} | {"turns": self.turns, "turn_groups": known}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Counts:
        turn_groups = {int(turn): int(count) for turn, count in data["turn_groups"].items()}
        sums = {name: int(data[name]) for name in _SUMS}
        return cls(**sums, turns=int(data["turns"]), turn_groups=turn_groups)

    def public(self) -> dict[str, int]:
        """What reports and the API show."""
        return {name: getattr(self, name) for name in ("messages", "groups", "turns", "tokens", "bytes")}
