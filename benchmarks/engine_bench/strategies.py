"""The strategies that are measured: each one that needs no model, set so that it has much to do."""

from __future__ import annotations

from turnfold import (
    CompactionStrategy,
    ContextWindowCompactionStrategy,
    PipelineCompactionStrategy,
    SelectiveToolCallCompactionStrategy,
    SlidingWindowStrategy,
    TokenBudgetComposedStrategy,
    ToolResultCompactionStrategy,
    TruncationStrategy,
)

_TRUNCATION = TruncationStrategy(max_tokens=8_000)
_WINDOW = SlidingWindowStrategy(keep_last_turns=20)
_RESULTS = ToolResultCompactionStrategy(keep_last_tool_call_groups=5)

STRATEGIES: dict[str, CompactionStrategy] = {
    "truncation": _TRUNCATION,
    "sliding_window": _WINDOW,
    "tool_result": _RESULTS,
    "selective_tool_call": SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=5),
    "token_budget": TokenBudgetComposedStrategy(token_budget=8_000, strategies=[_RESULTS, _WINDOW]),
    "context_window": ContextWindowCompactionStrategy(max_context_window_tokens=40_000, max_output_tokens=4_000),
    "pipeline": PipelineCompactionStrategy([_RESULTS, _WINDOW, _TRUNCATION]),
}
