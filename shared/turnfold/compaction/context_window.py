"""Fits a conversation into a model's context window."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from turnfold.compaction.run import CompactionRun
from turnfold.compaction.strategy import CompactionStrategy, at_least, given_floor
from turnfold.compaction.summarization import SummarizationStrategy
from turnfold.compaction.tool_result import ToolResultCompactionStrategy
from turnfold.compaction.truncation import TruncationStrategy
from turnfold.index import MessageIndex
from turnfold.triggers import TokensExceed


class ContextWindowCompactionStrategy(CompactionStrategy):
    """Collapses tool results above half of the input budget, truncates above 0.8 of it, and nothing below.

    The input budget is the window less what the model may write. Thresholds are shares of it, rounded down.

    Args:
        max_context_window_tokens, max_output_tokens: the model's numbers.
        tool_eviction_threshold, truncation_threshold: where the phases start, and where they stop.
        summarization_threshold: between the two: where summaries are planned; None: none are.
        minimum_preserved: how many of the newest non-system groups are never touched; 2.
        minimum_preserved_groups: another name of `minimum_preserved`.
        client: writes the summaries; None: the run's summarizer.
    """

    name = "context_window"

    def __init__(
        self,
        *,
        max_context_window_tokens: int,
        max_output_tokens: int,
        tool_eviction_threshold: float = 0.5,
        summarization_threshold: float | None = None,
        truncation_threshold: float = 0.8,
        minimum_preserved: int | None = None,
        minimum_preserved_groups: int | None = None,
        client: Any = None,
    ) -> None:
        at_least("max_context_window_tokens", max_context_window_tokens, 1)
        at_least("max_output_tokens", max_output_tokens, 0)
        if max_output_tokens >= max_context_window_tokens:
            raise ValueError(
                f"max_output_tokens: must be below max_context_window_tokens, "
                f"{max_output_tokens} >= {max_context_window_tokens}"
            )
        self.max_context_window_tokens, self.max_output_tokens = max_context_window_tokens, max_output_tokens
        self.tool_eviction_threshold = tool_eviction_threshold
        self.summarization_threshold = summarization_threshold
        self.truncation_threshold = truncation_threshold
        floor = given_floor(minimum_preserved, minimum_preserved_groups=minimum_preserved_groups)
        self.minimum_preserved = 2 if floor is None else floor
        self._check_thresholds()
        self.phases: tuple[CompactionStrategy, ...] = tuple(self._phases(client))

    @property
    def input_budget_tokens(self) -> int:
        return self.max_context_window_tokens - self.max_output_tokens

    async def compact(self, index: MessageIndex, run: CompactionRun | None = None) -> bool:
        run = run or CompactionRun()
        changed = False
        for phase in self.phases:
            changed = await phase.compact(index, run) or changed
        return changed

    def _phases(self, client: Any) -> list[CompactionStrategy]:
        floor = self.minimum_preserved
        phases: list[CompactionStrategy] = [
            ToolResultCompactionStrategy(trigger=self._above(self.tool_eviction_threshold), minimum_preserved=floor)
        ]
        if self.summarization_threshold is not None:
            above = self._above(self.summarization_threshold)
            phases.append(SummarizationStrategy(client=client, trigger=above, minimum_preserved=floor))
        phases.append(TruncationStrategy(trigger=self._above(self.truncation_threshold), minimum_preserved=floor))
        return phases

    def _above(self, threshold: float) -> TokensExceed:
        return TokensExceed(int(self.input_budget_tokens * Decimal(str(threshold))))  # 0.57 of 100 is 57, not 56

    def _check_thresholds(self) -> None:
        named = {
            "tool_eviction_threshold": self.tool_eviction_threshold,
            "summarization_threshold": self.summarization_threshold,
            "truncation_threshold": self.truncation_threshold,
        }
        below = 0.0
        for name, value in named.items():
            if value is None:
                continue
            if isinstance(value, bool) or not 0 < value <= 1:
                raise ValueError(f"{name}: must be above 0 and at most 1, not {value!r}")
            if value < below:
                raise ValueError(f"{name}: must not be below the threshold before it, {value} < {below}")
            below = value
