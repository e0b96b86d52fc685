"""What a backend gets for the next call of its model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from turnfold.compaction.run import Action
from turnfold.messages import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """The context of the next call.

    Attributes:
        messages: ready for the model.
        counts: of `messages`: messages, groups, turns, tokens, bytes.
        pending_job: id of the job that is folding older turns right now, None: none is.
        over_budget: the newest group alone is more than the budget that was asked for.
        pending_tool_call_ids: calls that still wait for their results.
        actions: what each inline step did.
    """

    messages: list[Message]
    counts: dict[str, int]
    revision: int
    view_revision: int
    pending_job: str | None = None
    over_budget: bool = False
    pending_tool_call_ids: list[str] = field(default_factory=list[str])
    actions: list[Action] = field(default_factory=list[Action])

    def to_dict(self) -> dict[str, Any]:
        return {
            "messages": self.messages,
            "counts": self.counts,
            "revision": self.revision,
            "view_revision": self.view_revision,
            "pending_job": self.pending_job,
            "over_budget": self.over_budget,
            "pending_tool_call_ids": self.pending_tool_call_ids,
            "actions": [action.to_dict() for action in self.actions],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendResult:
    """What an append did.

    Attributes:
        first, last: positions of the messages in the log, from 1.
        job: id and state of the job that was recorded with them, or is pending; None: none is.
        repeated: this answer was given before, under the same Idempotency-Key.
    """

    first: int
    last: int
    ids: list[str]
    revision: int
    counts: dict[str, Any]
    job: dict[str, str] | None
    repeated: bool = False

    def to_dict(self) -> dict[str, Any]:
        return {
            "first": self.first,
            "last": self.last,
            "ids": self.ids,
            "revision": self.revision,
            "counts": self.counts,
            "job": self.job,
        }
