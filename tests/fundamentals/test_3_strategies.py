"""Step 3: a strategy changes what is shown. It starts by its trigger, works from the oldest on, stops by its target."""

from __future__ import annotations

from turnfold.compaction.apply import apply_compaction
from turnfold.compaction.pipeline import PipelineCompactionStrategy
from turnfold.compaction.sliding_window import SlidingWindowStrategy
from turnfold.compaction.truncation import TruncationStrategy
from turnfold.index import MessageIndex
from turnfold.policy import Policy

CHAT = [{"role": "user" if n % 2 else "assistant", "content": f"message {n}"} for n in range(1, 9)]


async def test_a_window_keeps_the_newest_turns_whole() -> None:
    kept = await apply_compaction(CHAT, strategy=SlidingWindowStrategy(keep_last_turns=2))
    assert [message["content"] for message in kept] == ["message 5", "message 6", "message 7", "message 8"]


async def test_hiding_is_not_deleting_the_index_still_has_every_message_and_says_why_it_is_hidden() -> None:
    index = MessageIndex(CHAT)
    await TruncationStrategy(max_messages=3).compact(index)
    assert [group.reason for group in index.groups] == ["truncation"] * 5 + [None] * 3
    assert index.all.messages == 8


async def test_a_strategy_run_on_its_own_result_changes_nothing() -> None:
    index = MessageIndex(CHAT)
    strategy = PipelineCompactionStrategy(
        [SlidingWindowStrategy(keep_last_turns=3), TruncationStrategy(max_messages=3)]
    )
    assert await strategy.compact(index)
    assert not await strategy.compact(index)


async def test_a_policy_is_a_strategy_written_as_json() -> None:
    policy = Policy.parse({"strategy": "truncation", "max_messages": 3})
    index = MessageIndex(CHAT, tokenizer=policy.tokenizer)
    await policy.strategy.compact(index)
    assert index.included.messages == 3
