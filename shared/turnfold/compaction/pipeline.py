"""Strategies one after the other."""

from __future__ import annotations

from collections.abc import Iterable

from turnfold.compaction.custom import MessagesStrategy, as_strategy
from turnfold.compaction.run import CompactionRun
from turnfold.compaction.strategy import CompactionStrategy
from turnfold.index import MessageIndex


class PipelineCompactionStrategy(CompactionStrategy):
    """Runs its strategies, or async callables on messages, in order on the same index, each with its own trigger."""

    name = "pipeline"

    def __init__(self, strategies: Iterable[CompactionStrategy | MessagesStrategy] = ()) -> None:
        self.strategies = tuple(as_strategy(one, f"strategies[{n}]") for n, one in enumerate(strategies))

    async def compact(self, index: MessageIndex, run: CompactionRun | None = None) -> bool:
        run = run or CompactionRun()
        changed = False
        for strategy in self.strategies:
            changed = await strategy.compact(index, run) or changed
        return changed
