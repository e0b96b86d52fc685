"""Which group a message belongs to, decided from what came before it alone, so that a history can grow.

The rules: an id decides before adjacency; a result joins the one open call of its id wherever it stands; reasoning
belongs to the call that follows it, or to the call whose results are still awaited.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from turnfold.content import has_calls, is_reasoning_only
from turnfold.groups import MessageGroup, MessageGroupKind, Reason
from turnfold.jsonio import is_object
from turnfold.messages import Message

# The legacy `function_call` has no id; this stands in for it and no client can send it as an id that joins.
LEGACY_CALL = "\0function_call"
_KINDS = {
    "system": MessageGroupKind.SYSTEM,
    "developer": MessageGroupKind.SYSTEM,
    "user": MessageGroupKind.USER,
    "tool": MessageGroupKind.TOOL_CALL,
    "function": MessageGroupKind.TOOL_CALL,
}


def kind_of_role(role: str) -> MessageGroupKind:
    """The kind of group that a message of the role begins, where it has no calls."""
    return _KINDS.get(role, MessageGroupKind.ASSISTANT_TEXT)


@dataclass(slots=True)
class Placement:
    """Where a message goes: into `group`, with the groups that `group` takes in for it."""

    group: MessageGroup
    is_new: bool
    absorbed: Sequence[MessageGroup] = ()


class Grouper:
    """The state that the next message's group depends on: open calls, reasoning not yet claimed, the newest group."""

    def __init__(self) -> None:
        self.turn = 0
        self.last_position = -1
        self.last: MessageGroup | None = None  # of the message before
        self.newest: MessageGroup | None = None  # last in the order of first messages
        self._open: dict[str, list[MessageGroup]] = {}  # one entry a call that waits
        self._run: list[MessageGroup] = []  # reasoning directly before the next message
        self._before_run: MessageGroup | None = None  # what was newest when the run began
        self._loose: list[MessageGroup] = []  # reasoning since the oldest open call

    def place(self, position: int, message: Message) -> Placement:
        """The message's group; the caller adds the message to it."""
        adjacent = self.last if position == self.last_position + 1 else None
        if adjacent is None:
            self._run.clear()
        role = message.get("role")
        if role in ("tool", "function"):
            placement = self._place_result(position, message, adjacent)
        elif role == "assistant" and has_calls(message):
            placement = self._place_call(position, message)
        elif role == "assistant" and is_reasoning_only(message):
            placement = self._place_reasoning(position)
        else:
            placement = self._place_other(position, str(role))
        self.last, self.last_position = placement.group, position
        return placement

    def forget(self, group: MessageGroup) -> None:
        """Closes a group for good: nothing that comes later joins it."""
        for call in set(group.open_calls):
            if group in self._open.get(call, []):  # a group read from a store may wait without this grouper knowing
                self._close(call, group, every=True)
        for reasoning in (self._run, self._loose):
            if group in reasoning:
                reasoning.remove(group)
        self.last = None if self.last is group else self.last
        self.newest = None if self.newest is group else self.newest
        self._before_run = None if self._before_run is group else self._before_run

    @property
    def tail(self) -> list[MessageGroup]:
        """The groups that a later message may still change, each once, oldest first."""
        groups = [g for waiting in self._open.values() for g in waiting]
        groups += [*self._run, *self._loose, *(g for g in (self.last, self.newest, self._before_run) if g)]
        return sorted({g.id: g for g in groups}.values(), key=lambda g: g.place)

    def state(self) -> dict[str, Any]:
        """As JSON, with the tail's groups by id; `resume` is the inverse."""
        return {
            "turn": self.turn,
            "last_position": self.last_position,
            "last": self.last.id if self.last else None,
            "newest": self.newest.id if self.newest else None,
            "before_run": self._before_run.id if self._before_run else None,
            "open": {call: [g.id for g in groups] for call, groups in self._open.items()},
            "run": [g.id for g in self._run],
            "loose": [g.id for g in self._loose],
        }

    @classmethod
    def resume(cls, state: Mapping[str, Any], groups: Mapping[str, MessageGroup]) -> Grouper:
        grouper = cls()
        grouper.turn, grouper.last_position = int(state["turn"]), int(state["last_position"])
        grouper.last = groups.get(state["last"] or "")
        grouper.newest = groups.get(state["newest"] or "")
        grouper._before_run = groups.get(state["before_run"] or "")
        grouper._open = {call: [groups[i] for i in ids] for call, ids in state["open"].items()}
        grouper._run = [groups[i] for i in state["run"]]
        grouper._loose = [groups[i] for i in state["loose"]]
        return grouper

    def _place_other(self, position: int, role: str) -> Placement:
        kind = kind_of_role(role)
        self._run.clear()
        self._drop_loose_if_settled()
        if kind is MessageGroupKind.USER:
            self.turn += 1
        return self._new(position, kind)

    def _place_reasoning(self, position: int) -> Placement:
        if not self._run:
            self._before_run = self.newest
        placement = self._new(position, MessageGroupKind.ASSISTANT_TEXT)
        self._run.append(placement.group)
        self._loose.append(placement.group)
        return placement

    def _place_call(self, position: int, message: Message) -> Placement:
        """A call takes in the reasoning directly before it, and stands where that reasoning began."""
        absorbed = [g for g in self._run if g.included]  # what was hidden stays hidden
        self._run.clear()
        self._loose = [g for g in self._loose if g not in absorbed]
        if absorbed:
            self.newest = self._before_run
        self._drop_loose_if_settled()
        placement = self._new(absorbed[0].place if absorbed else position, MessageGroupKind.TOOL_CALL)
        placement.absorbed = absorbed
        for call in awaited_calls(message):
            placement.group.open_calls.append(call)
            self._open.setdefault(call, []).append(placement.group)
        return placement

    def _place_result(self, position: int, message: Message, adjacent: MessageGroup | None) -> Placement:
        call = message.get("tool_call_id") if message.get("role") == "tool" else LEGACY_CALL
        before = self._before_run if self._run and adjacent is self._run[-1] else adjacent
        group = self._answered(str(call), before)
        if group is None:
            return self._place_orphan(position, adjacent)
        self._close(str(call), group)
        absorbed = [g for g in self._loose if g.place > group.place and g.included]
        if self.newest in absorbed:
            left = [g for g in self._run if g not in absorbed]
            self.newest = left[-1] if left else self._before_run
        self._loose = [g for g in self._loose if g not in absorbed]
        self._run.clear()
        return Placement(group, False, absorbed)

    def _place_orphan(self, position: int, adjacent: MessageGroup | None) -> Placement:
        self._run.clear()
        if adjacent is not None and adjacent.orphan:
            return Placement(adjacent, False)
        placement = self._new(position, MessageGroupKind.TOOL_CALL)
        placement.group.orphan, placement.group.included, placement.group.reason = True, False, Reason.ORPHAN
        return placement

    def _answered(self, call: str, before: MessageGroup | None) -> MessageGroup | None:
        """The group with the call that this result closes, None for an orphan."""
        waiting = self._open.get(call, [])
        if len(waiting) == 1 and call != LEGACY_CALL:
            return waiting[0]
        return before if before is not None and before in waiting else None

    def _close(self, call: str, group: MessageGroup, *, every: bool = False) -> None:
        waiting = self._open[call]
        for _ in range(waiting.count(group) if every else 1):
            waiting.remove(group)
            group.open_calls.remove(call)
        if not waiting:
            del self._open[call]

    def _drop_loose_if_settled(self) -> None:
        """Without an open call nothing will ever claim the reasoning that stands alone."""
        if not self._open:
            self._loose.clear()

    def _new(self, place: int, kind: MessageGroupKind) -> Placement:
        is_system = kind is MessageGroupKind.SYSTEM
        group = MessageGroup(f"g{place}", kind, None if is_system else self.turn, place, is_system=is_system)
        self.newest = group
        return Placement(group, True)


def awaited_calls(message: Message) -> list[str]:
    """Ids of the calls that a message of its own will answer; a tool that the provider ran answers in place."""
    ids = [call["id"] for call in message.get("tool_calls") or () if is_object(call) and call.get("id")]
    return [*ids, LEGACY_CALL] if message.get("function_call") else ids
