"""A group: messages that are kept or dropped together."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from turnfold.messages import Message


class MessageGroupKind(StrEnum):
    """What a group holds."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT_TEXT = "assistant_text"
    TOOL_CALL = "tool_call"
    SUMMARY = "summary"


class Reason(StrEnum):
    """Why a group is hidden, where it is not a strategy that hid it (a strategy gives its own name)."""

    DANGLING = "dangling_tool_call"
    ORPHAN = "orphan_tool_result"


class MessageGroup:
    """One group, and whether it is sent to the model.

    Attributes:
        id: unique in its conversation, and the same each time that the conversation is grouped.
        turn: number of the turn, 0 before the first user message, None for system messages and summaries.
        positions: positions in the log of the messages, in order; empty for a group that a strategy made.
        place: where the group stands: the position of its first message, or of the first message that it replaces.
        open_calls: ids of the calls that still wait for a result.
        orphan: results without a call.
        reason: why the group is hidden, None while it is included.
        summary_of: ids of the groups that this one replaces.
        summarized_by: id of the group that replaces this one.
        durable: a committed summary, as against the line of a collapsed group, which is made anew by its policy.
    """

    __slots__ = (
        "byte_count", "durable", "id", "included", "is_system", "is_tool_call", "kind", "message_count", "messages",
        "open_calls", "orphan", "place", "positions", "reason", "summarized_by", "summary_of", "token_count", "turn",
    )  # fmt: skip

    # Written out: a conversation has thousands of groups, and a generated one with factories takes three times as long.
    def __init__(
        self, group_id: str, kind: MessageGroupKind, turn: int | None, place: int, *, is_system: bool = False
    ) -> None:
        self.id = group_id
        self.kind = kind
        self.turn = turn
        self.place = place
        self.positions: list[int] = []
        self.messages: list[Message] = []
        self.message_count = 0
        self.token_count = 0
        self.byte_count = 0
        self.open_calls: list[str] = []
        self.orphan = False
        self.included = True
        self.reason: str | None = None
        self.summary_of: tuple[str, ...] = ()
        self.summarized_by: str | None = None
        self.durable = False
        self.is_system = is_system
        self.is_tool_call = kind is MessageGroupKind.TOOL_CALL

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
        """Covered by a committed summary, as against a line."""
        return self.summarized_by is not None and not self.summarized_by.startswith(LINE_PREFIX)

    def add(self, position: int, message: Message, tokens: int, byte_count: int) -> None:
        """Takes a message in; the caller keeps the totals."""
        self.positions.append(position)
        self.messages.append(message)
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
        group.positions, group.open_calls = list(data["positions"]), list(data["open_calls"])
        group.summary_of = tuple(data["summary_of"])
        return group

    def __repr__(self) -> str:
        return f"<{self.kind} {self.id} {self.positions}{'' if self.included else f' hidden: {self.reason}'}>"


LINE_PREFIX = "line-"
_COPIED = (
    "message_count", "token_count", "byte_count", "orphan", "included", "reason", "summarized_by", "durable",
    "is_system", "is_tool_call",
)  # fmt: skip
_STORED = ("id", "turn", "place", "summary_of", *_COPIED)
