"""What a service does that was told nothing."""

from __future__ import annotations

from typing import Any

# Summarization folds in few, large steps on purpose: each costs a call, and breaks the prompt cache's prefix once.
DEFAULT_POLICY: dict[str, Any] = {
    "strategy": "pipeline",
    "tokenizer": "o200k_base",
    "strategies": [
        {"strategy": "tool_result", "trigger": {"tokens_exceed": 8000}},
        {
            "strategy": "summarization",
            "trigger": {"tokens_exceed": 12000},
            "target": {"tokens_below": 6000},
            "minimum_preserved": 8,
        },
        {"strategy": "truncation", "trigger": {"tokens_exceed": 24000}, "minimum_preserved": 4},
    ],
}
