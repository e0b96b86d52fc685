"""A group: messages that are kept or dropped together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from turnfold.messages import Message, as_message


class MessageGroupKind(StrEnum):
    """What a group holds."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT_TEXT = "assistant_text"
    TOOL_CALL = "tool_call"
    SUMMARY = "summary"


# By name an enum's member takes as long to find as all else that making a group takes.
_TOOL_CALL, _SYSTEM = MessageGroupKind.TOOL_CALL, MessageGroupKind.SYSTEM


class Reason(StrEnum):
    """Why a group is hidden, where it is not a strategy that hid it (a strategy gives its own name)."""

    DANGLING = "dangling_tool_call"
    ORPHAN = "orphan_tool_result"


# A message on its way into a group: its position in the log, itself, its tokens, its bytes.
Arrival = tuple[int, Mapping[str, Any], int, int]


class MessageGroup:
    """One group, and whether it is sent to the model.

    Attributes:
        turn: number of the turn, 0 before the first user message, None for system messages and summaries.
        positions: positions in the log of the messages, in order; empty for a group that a strategy made.
        place: where the group stands: the position of its first message, or of the first message that it replaces.
        open_calls: ids of the calls that still wait for a result.
        orphan: results without a call.
        reason: why the group is hidden, None while it is included.
        summary_of: ids of the groups that this one replaces.
        summarized_by: id of the group that replaces this one.
        counted: the index's totals have it.
        durable: a committed summary, as against the line of a collapsed group, which is made anew by its policy.
        folded: a committed summary covers the line that replaces this one.
    """

    # What nearly every group has is said once, for the class: a conversation has thousands of groups.
    message_count = 0
    token_count = 0
    byte_count = 0
    open_calls: tuple[str, ...] = ()
    orphan = False
    included = True
    reason: str | None = None
    summary_of: tuple[str, ...] = ()
    summarized_by: str | None = None
    durable = False
    folded = False
    counted = False
    _looked_at = False
    _id: str | None = None
    is_system = False
    is_tool_call = False

    def __init__(
        self, group_id: str | None, kind: MessageGroupKind, turn: int | None, place: int, first: Arrival | None = None
    ) -> None:
        if group_id is not None:
            self._id = group_id
        self.kind = kind
        self.turn = turn
        self.place = place
        if first is None:
            self.positions: list[int] = []
            self._messages: list[Any] = []
        else:
            position, message, self.token_count, self.byte_count = first
            self.positions, self._messages, self.message_count = [position], [message], 1
        if kind is _TOOL_CALL:
            self.is_tool_call = True
        elif kind is _SYSTEM:
            self.is_system = True

    @property
    def id(self) -> str:
        """Unique in its conversation, and the same each time that the conversation is grouped."""
        return self._id or f"g{self.place}"

    @property
    def as_taken(self) -> Sequence[Mapping[str, Any]]:
        """The messages as they came, for those who only read."""
        return self._messages

    @property
    def messages(self) -> list[Message]:
        """The messages; those that came as plain objects become `Message` when they are first looked at."""
        if not self._looked_at:
            self._messages = [as_message(message) for message in self._messages]
            self._looked_at = True
        return self._messages

    @messages.setter
    def messages(self, messages: list[Message]) -> None:
        self._messages, self._looked_at = messages, True

    @property
    def is_log(self) -> bool:
        """Made of messages of the log, not by a strategy."""
        return bool(self.positions)

    @property
    def is_live(self) -> bool:
        """Not covered by a committed summary, and not a line that a policy makes anew."""
        return not self.covered_for_good and (self.is_log or self.durable)

    @property
    def covered_for_good(self) -> bool:
        """Covered by a committed summary, as against a line alone."""
        return self.folded or (self.summarized_by is not None and not self.summarized_by.startswith(LINE_PREFIX))

    def await_results(self, calls: Iterable[str]) -> None:
        """Calls of the group that results will answer."""
        self.open_calls = (*self.open_calls, *calls)

    def answer(self, call: str) -> None:
        """One of the calls of this id has its result."""
        calls = self.open_calls
        at = calls.index(call)
        self.open_calls = calls[:at] + calls[at + 1 :]

    def add(self, arrival: Arrival) -> None:
        """Takes a message in; the caller keeps the totals."""
        position, message, tokens, byte_count = arrival
        self.positions.append(position)
        self._messages.append(message)
        self._looked_at = False
        self.message_count += 1
        self.token_count += tokens
        self.byte_count += byte_count

    def report(self) -> dict[str, Any]:
        """The group as the command and the API show it."""
        return {
            "id": self.id,
            "kind": str(self.kind),
            "turn": self.turn,
            "messages": list(self.positions),
            "message_count": self.message_count,
            "bytes": self.byte_count,
            "tokens": self.token_count,
            "included": self.included,
            "reason": self.reason,
            "summary_of": list(self.summary_of),
            "summarized_by": self.summarized_by,
        }

    def to_dict(self) -> dict[str, Any]:
        """All but the messages, as JSON: what a later append needs to know of a group that it may touch."""
        lists = {"positions": list(self.positions), "open_calls": list(self.open_calls)}
        return {name: getattr(self, name) for name in _STORED} | lists | {"kind": str(self.kind)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> MessageGroup:
        """The inverse of `to_dict`."""
        group = cls(data["id"], MessageGroupKind(data["kind"]), data["turn"], data["place"])
        for name in _COPIED:
            setattr(group, name, data[name])
        group.positions, group.open_calls, group.counted = list(data["positions"]), tuple(data["open_calls"]), True
        group.summary_of = tuple(data["summary_of"])
        return group

    def __repr__(self) -> str:
        return f"<{self.kind} {self.id} {self.positions}{'' if self.included else f' hidden: {self.reason}'}>"


LINE_PREFIX = "line-"
_COPIED = (
    "message_count", "token_count", "byte_count", "orphan", "included", "reason", "summarized_by", "durable",
    "folded", "is_system", "is_tool_call",
)  # fmt: skip
_STORED = ("id", "turn", "place", "summary_of", *_COPIED)
