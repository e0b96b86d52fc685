"""Transient compaction with a full account of what happened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from turnfold.compaction.run import Action, CompactionRun
from turnfold.compaction.strategy import CompactionStrategy
from turnfold.index import MessageIndex
from turnfold.messages import Message
from turnfold.tokens import TokenizerProtocol


@dataclass(frozen=True, slots=True)
class CompactionReport:
    """What is left, each group with what became of it, counts before and after, and what each step did."""

    messages: list[Message]
    groups: list[dict[str, Any]]
    before: dict[str, int]
    after: dict[str, int]
    actions: list[Action]

    def to_dict(self) -> dict[str, Any]:
        return {
            "messages": self.messages,
            "groups": self.groups,
            "before": self.before,
            "after": self.after,
            "actions": [action.to_dict() for action in self.actions],
        }


async def compact_with_report(
    messages: Sequence[Mapping[str, Any]],
    strategy: CompactionStrategy,
    *,
    tokenizer: TokenizerProtocol | None = None,
    run: CompactionRun | None = None,
) -> CompactionReport:
    """Runs the strategy on the messages; nothing is stored."""
    run = run or CompactionRun()
    index = MessageIndex(messages, tokenizer=tokenizer)
    before = index.included.public()
    await strategy.compact(index, run)
    groups = [group.report() for group in index.groups]
    return CompactionReport(index.projection(), groups, before, index.included.public(), run.actions)
