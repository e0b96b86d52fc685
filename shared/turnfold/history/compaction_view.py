"""What compaction made of a history, as a value that a session keeps beside the messages.

The messages themselves are never marked: a summary and what it hides are one value, stored in one write.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from turnfold.messages import Message

_VIEW = "view"
Names = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeRecord:
    """A group that a strategy made.

    Attributes:
        sources: names of the first message of each group that it replaces; a made group goes by `made:` and its id.
        reason: why those are hidden.
        hidden: why the group is hidden itself; None: it is shown, or replaced by another.
        durable: a summary, as against the line of a collapsed tool call.
    """

    id: str
    sources: tuple[Names, ...]
    messages: tuple[Message, ...]
    turn: int | None
    reason: str
    durable: bool
    hidden: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "sources": [list(names) for names in self.sources],
            "messages": list(self.messages),
            "turn": self.turn,
            "reason": self.reason,
            "durable": self.durable,
            "hidden": self.hidden,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> MadeRecord:
        sources = tuple(tuple(names) for names in data["sources"])
        fields = {name: data[name] for name in ("id", "turn", "reason", "durable", "hidden")}
        return cls(sources=sources, messages=tuple(data["messages"]), **fields)


@dataclass(frozen=True, slots=True)
class CompactionView:
    """Groups that were made, oldest first, and groups that were hidden without a replacement, with the reason."""

    made: tuple[MadeRecord, ...] = ()
    hidden: tuple[tuple[Names, str], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        hidden = [[list(names), reason] for names, reason in self.hidden]
        return {"made": [record.to_dict() for record in self.made], "hidden": hidden}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> CompactionView:
        hidden = tuple((tuple(names), str(reason)) for names, reason in data["hidden"])
        return cls(tuple(MadeRecord.from_dict(item) for item in data["made"]), hidden)

    def with_summaries_of(self, other: CompactionView) -> CompactionView:
        """This view with the summaries of a later one, and with the lines that those were made from; nothing else."""
        known = {record.id for record in self.made}
        wanted = {name for record in other.made if record.durable for names in record.sources for name in names}
        added = [one for one in other.made if one.id not in known and (one.durable or f"made:{one.id}" in wanted)]
        return CompactionView((*self.made, *added), self.hidden)


def read_view(state: Mapping[str, Any]) -> CompactionView:
    """The view in a provider's state, an empty one where there is none."""
    stored = state.get(_VIEW)
    return CompactionView() if stored is None else CompactionView.from_dict(stored)


def write_view(state: dict[str, Any], view: CompactionView) -> None:
    """Puts the view into a provider's state, whole."""
    if view.made or view.hidden:
        state[_VIEW] = view.to_dict()
    else:
        state.pop(_VIEW, None)
