"""pydantic-ai-harness: `compact_now` with the strategies that need no model."""

from __future__ import annotations

from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.test import TestModel
from pydantic_ai_harness.compaction import ClearToolResults, SlidingWindowCompaction, TieredCompaction, compact_now
from timing import chat, report, times, waited


def converted(message: dict[str, Any]) -> ModelMessage:
    role = message["role"]
    if role == "system":
        return ModelRequest(parts=[SystemPromptPart(message["content"])])
    if role == "user":
        return ModelRequest(parts=[UserPromptPart(message["content"])])
    if role == "tool":
        return ModelRequest(parts=[ToolReturnPart("f", message["content"], message["tool_call_id"])])
    if calls := message.get("tool_calls"):
        bodies = [(call["id"], call["function"]) for call in calls]
        return ModelResponse(parts=[ToolCallPart(body["name"], body["arguments"], i) for i, body in bodies])
    return ModelResponse(parts=[TextPart(message["content"])])


def main() -> None:
    messages, model = chat(), TestModel()
    window = SlidingWindowCompaction(max_tokens=8_000, keep_messages=100)
    clear = ClearToolResults(max_tokens=8_000, keep_pairs=5)
    strategies = {
        "sliding window": window,
        "clear tool results": clear,
        "tiered": TieredCompaction([clear, window], target_tokens=8_000),
    }
    for name, strategy in strategies.items():
        work = waited(lambda fresh, s=strategy: compact_now(s, fresh, model=model))
        report(name, lambda: [converted(message) for message in messages], work, count=times(len(messages)))


main()
