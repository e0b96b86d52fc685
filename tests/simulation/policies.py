"""Random policies, summaries among their steps more often than not."""

from __future__ import annotations

import random
from typing import Any


def policy(rng: random.Random) -> dict[str, Any]:
    steps = [
        step for step in (_tools(rng), _summary(rng), _window(rng), _truncation(rng)) if step and rng.random() < 0.7
    ]
    rng.shuffle(steps)
    return {"strategy": "pipeline", "strategies": steps}


def _tools(rng: random.Random) -> dict[str, Any]:
    if rng.random() < 0.5:
        return {"strategy": "tool_result", "trigger": {"tokens_exceed": rng.randint(50, 800)}}
    return {"strategy": "selective_tool_call", "keep_last_tool_call_groups": rng.randint(0, 4)}


def _summary(rng: random.Random) -> dict[str, Any]:
    step: dict[str, Any] = {"strategy": "summarization", "min_source_tokens": rng.choice((0, 0, 100))}
    if rng.random() < 0.3:
        return step | {"target_count": rng.randint(1, 8), "threshold": rng.randint(0, 6)}
    step |= {"trigger": {"tokens_exceed": rng.randint(200, 1500)}, "minimum_preserved": rng.randint(0, 8)}
    return step | ({"target": {"tokens_below": rng.randint(50, 400)}} if rng.random() < 0.6 else {})


def _window(rng: random.Random) -> dict[str, Any]:
    if rng.random() < 0.5:
        return {"strategy": "sliding_window", "keep_last_groups": rng.randint(1, 20)}
    step = {"strategy": "sliding_window", "keep_last_turns": rng.randint(1, 8)}
    return step | ({"preserve_system": False} if rng.random() < 0.2 else {})


def _truncation(rng: random.Random) -> dict[str, Any]:
    most = rng.randint(100, 2000)
    step = {"strategy": "truncation", "max_tokens": most, "compact_to": rng.randint(50, most)}
    return step | ({"preserve_system": False} if rng.random() < 0.2 else {})
