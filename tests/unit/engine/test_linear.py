from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from turnfold import MessageIndex, ToolResultCompactionStrategy

STRATEGY = ToolResultCompactionStrategy(keep_last_tool_call_groups=5)


class CountingTokenizer:
    def __init__(self) -> None:
        self.asked = 0

    def count_tokens(self, text: str) -> int:
        self.asked += 1
        return max(1, len(text) // 4)


def turns(count: int) -> list[dict[str, Any]]:
    chat: list[dict[str, Any]] = []
    for n in range(count):
        call = {"id": f"c{n}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        chat += [
            {"role": "user", "content": "Where is it?"},
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{n}", "content": "on its way " * 60},
            {"role": "assistant", "content": "On its way."},
        ]
    return chat


async def calls_and_counts_a_message(messages: int) -> tuple[float, float]:
    chat, tokenizer, calls = turns(messages // 4), CountingTokenizer(), 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        index = MessageIndex(chat, tokenizer=tokenizer)
        await STRATEGY.compact(index)
        index.projection()
    finally:
        sys.setprofile(before)
    return calls / messages, tokenizer.asked / messages


async def test_ten_times_the_messages_are_ten_times_the_work() -> None:
    few_calls, few_counts = await calls_and_counts_a_message(200)
    many_calls, many_counts = await calls_and_counts_a_message(2_000)

    assert many_calls <= 1.2 * few_calls
    assert many_counts <= 1.2 * few_counts


async def test_a_second_run_counts_no_tokens_again() -> None:
    tokenizer = CountingTokenizer()
    index = MessageIndex(turns(50), tokenizer=tokenizer)
    assert await STRATEGY.compact(index)
    asked = tokenizer.asked

    assert not await STRATEGY.compact(index)
    index.projection()

    assert tokenizer.asked == asked
