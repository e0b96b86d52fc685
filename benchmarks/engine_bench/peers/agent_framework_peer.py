"""agent-framework-core: `apply_compaction` with its strategies."""

from __future__ import annotations

import json
from typing import Any

from agent_framework import Content, Message, apply_compaction
from agent_framework._compaction import (
    CharacterEstimatorTokenizer,
    SelectiveToolCallCompactionStrategy,
    SlidingWindowStrategy,
    TokenBudgetComposedStrategy,
    ToolResultCompactionStrategy,
    TruncationStrategy,
)
from timing import chat, report, times, waited


def converted(message: dict[str, Any]) -> Message:
    if message["role"] == "tool":
        contents = [Content.from_function_result(message["tool_call_id"], result=message["content"])]
    elif calls := message.get("tool_calls"):
        bodies = [(call["id"], call["function"]) for call in calls]
        contents = [Content.from_function_call(i, body["name"], arguments=body["arguments"]) for i, body in bodies]
    else:
        contents = [Content.from_text(message["content"])]
    return Message(message["role"], contents)


def main() -> None:
    messages = chat()
    tokenizer = CharacterEstimatorTokenizer()
    results = ToolResultCompactionStrategy(keep_last_tool_call_groups=5)
    window = SlidingWindowStrategy(keep_last_groups=60)
    strategies = {
        "truncation": TruncationStrategy(max_n=8_000, compact_to=8_000, tokenizer=tokenizer),
        "sliding_window": window,
        "tool_result": results,
        "selective_tool_call": SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=5),
        "token_budget": TokenBudgetComposedStrategy(
            token_budget=8_000, tokenizer=tokenizer, strategies=[results, window]
        ),
    }
    for name, strategy in strategies.items():
        work = waited(lambda fresh, s=strategy: apply_compaction(fresh, strategy=s, tokenizer=tokenizer))
        count = 3 if len(messages) < 5_000 else 1
        report(name, lambda: [converted(message) for message in messages], work, count=count)
    report("conversion", lambda: messages, lambda ms: json.dumps([converted(m).role for m in ms]), count=times(1))


main()
