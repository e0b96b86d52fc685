"""Which group a message belongs to, decided from what came before it alone, so that a history can grow.

The rules: an id decides before adjacency; a result joins the one open call of its id wherever it stands; reasoning
belongs to the call that follows it, or to the call whose results are still awaited.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from turnfold.content import has_calls, is_reasoning_only
from turnfold.groups import Arrival, MessageGroup, MessageGroupKind, Reason
from turnfold.jsonio import is_object
from turnfold.messages import Message

# The legacy `function_call` has no id; this stands in for it and no client can send it as an id that joins.
LEGACY_CALL = "\0function_call"
# Enum members are looked up once: by name one takes as long to find as all else that making a group takes.
_SYSTEM, _USER, _TEXT, _CALL = (
    MessageGroupKind.SYSTEM, MessageGroupKind.USER, MessageGroupKind.ASSISTANT_TEXT, MessageGroupKind.TOOL_CALL,
)  # fmt: skip
_KINDS: dict[Any, MessageGroupKind] = {
    "system": _SYSTEM,
    "developer": _SYSTEM,
    "user": _USER,
    "tool": _CALL,
    "function": _CALL,
}


def kind_of_role(role: str) -> MessageGroupKind:
    """The kind of group that a message of the role begins, where it has no calls."""
    return _KINDS.get(role, _TEXT)


def turn_of(kind: MessageGroupKind, turn: int) -> int | None:
    """The turn of a group that begins in `turn`: system messages belong to none."""
    return None if kind is _SYSTEM else turn


class Grouper:
    """The state that the next message's group depends on: open calls, reasoning not yet claimed, the newest group."""

    def __init__(self) -> None:
        self.turn = 0
        self.last_position = -1
        self.absorbed: Sequence[MessageGroup] = ()  # groups that the group of the last message took in for it
        self.last: MessageGroup | None = None  # of the message before
        self.newest: MessageGroup | None = None  # last in the order of first messages
        self._open: dict[str, list[MessageGroup]] = {}  # one entry a call that waits
        self._run: list[MessageGroup] = []  # reasoning directly before the next message
        self._before_run: MessageGroup | None = None  # what was newest when the run began
        self._loose: list[MessageGroup] = []  # reasoning since the oldest open call

    def place(self, arrival: Arrival) -> MessageGroup:
        """The message's group: a new one that holds it, or an older one, to which the caller adds it.

        `absorbed` says which groups it takes in for that; the caller moves them.
        """
        position = arrival[0]
        if position != self.last_position + 1:
            self.last = None
            self._run.clear()
        self.last_position = position
        self.absorbed = ()
        self.last = group = self._place(arrival, arrival[1])
        return group

    def forget(self, group: MessageGroup) -> None:
        """Closes a group for good: nothing that comes later joins it."""
        for call in group.open_calls:
            if group in self._open.get(call, []):  # a group read from a store may wait without this grouper knowing
                self._close(call, group)
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

    def _place(self, arrival: Arrival, message: Mapping[str, Any]) -> MessageGroup:
        kind = _KINDS.get(message.get("role"))
        if kind is _CALL:
            return self._place_result(arrival, message)
        if kind is None:
            if has_calls(message):
                return self._place_call(arrival)
            if is_reasoning_only(message):
                return self._place_reasoning(arrival)
        if self._run or self._loose:
            self._run.clear()
            self._drop_loose_if_settled()
        if kind is _USER:
            self.turn += 1
        elif kind is None and isinstance(message, Message) and message.is_summary:
            return self._new_summary(arrival, message)
        return self._new(arrival[0], kind or _TEXT, arrival)

    def _new_summary(self, arrival: Arrival, message: Message) -> MessageGroup:
        """A summary of an earlier run, told by its metadata; the line of a collapsed call belongs to its turn."""
        group = self._new(arrival[0], MessageGroupKind.SUMMARY, arrival)
        group.summary_of = tuple(message.metadata["summary_of"])
        group.durable = not message.metadata.get("collapsed", False)
        if group.durable:
            group.turn = None
        return group

    def _place_reasoning(self, arrival: Arrival) -> MessageGroup:
        if not self._run:
            self._before_run = self.newest
        group = self._new(arrival[0], _TEXT, arrival)
        self._run.append(group)
        self._loose.append(group)
        return group

    def _place_call(self, arrival: Arrival) -> MessageGroup:
        """A call takes in the reasoning directly before it, and stands where that reasoning began."""
        absorbed = self._claim_run() if self._run else ()
        if self._loose:
            self._drop_loose_if_settled()
        group = self._new(absorbed[0].place if absorbed else arrival[0], _CALL, arrival)
        self.absorbed = absorbed
        group.open_calls = calls = awaited_calls(arrival[1])
        for call in calls:
            if call in self._open:
                self._open[call].append(group)
            else:
                self._open[call] = [group]
        return group

    def _claim_run(self) -> list[MessageGroup]:
        """The reasoning directly before a call, which belongs to it."""
        absorbed = [g for g in self._run if g.included]  # what was hidden stays hidden
        self._run.clear()
        self._loose = [g for g in self._loose if g not in absorbed]
        return absorbed

    def _place_result(self, arrival: Arrival, message: Mapping[str, Any]) -> MessageGroup:
        call = str(message.get("tool_call_id")) if message.get("role") == "tool" else LEGACY_CALL
        waiting = self._open.get(call)
        group = self._answered(call, waiting) if waiting else None
        if group is None:
            return self._place_orphan(arrival, self.last)
        self._close(call, group)
        if self._loose:
            self.absorbed = self._claim_loose(group)
            self._run.clear()
        return group

    def _claim_loose(self, group: MessageGroup) -> list[MessageGroup]:
        """The reasoning since the call, which belongs to it."""
        absorbed = [g for g in self._loose if g.place > group.place and g.included]
        if self.newest in absorbed:
            left = [g for g in self._run if g not in absorbed]
            self.newest = left[-1] if left else self._before_run
        self._loose = [g for g in self._loose if g not in absorbed]
        return absorbed

    def _place_orphan(self, arrival: Arrival, adjacent: MessageGroup | None) -> MessageGroup:
        self._run.clear()
        if adjacent is not None and adjacent.orphan:
            return adjacent
        group = self._new(arrival[0], _CALL, arrival)
        group.orphan, group.included, group.reason = True, False, Reason.ORPHAN
        return group

    def _answered(self, call: str, waiting: list[MessageGroup]) -> MessageGroup | None:
        """The group with the call that this result closes, None for an orphan."""
        if len(waiting) == 1 and call != LEGACY_CALL:
            return waiting[0]
        before = self._before_run if self._run and self.last is self._run[-1] else self.last
        return before if before in waiting else None

    def _close(self, call: str, group: MessageGroup) -> None:
        waiting = self._open[call]
        if len(waiting) == 1:
            del self._open[call]
        else:
            waiting.remove(group)
        group.answer(call)

    def _drop_loose_if_settled(self) -> None:
        """Without an open call nothing will ever claim the reasoning that stands alone."""
        if not self._open:
            self._loose.clear()

    def _new(self, place: int, kind: MessageGroupKind, first: Arrival) -> MessageGroup:
        turn = None if kind is _SYSTEM else self.turn
        self.newest = MessageGroup(None, kind, turn, place, first)
        return self.newest


def awaited_calls(message: Mapping[str, Any]) -> tuple[str, ...]:
    """Ids of the calls that a message of its own will answer; a tool that the provider ran answers in place."""
    calls = message.get("tool_calls") or ()
    ids = [call["id"] for call in calls if is_object(call) and call.get("id")]
    return (*ids, LEGACY_CALL) if message.get("function_call") else tuple(ids)
