"""The documented examples of the published designs, with only the import line changed."""

from __future__ import annotations

from typing import Any

from turnfold import (
    CharacterEstimatorTokenizer,
    CompactionTriggers,
    ContextWindowCompactionStrategy,
    Message,
    PipelineCompactionStrategy,
    SelectiveToolCallCompactionStrategy,
    SlidingWindowStrategy,
    SummarizationStrategy,
    TokenBudgetComposedStrategy,
    TokenizerProtocol,
    ToolResultCompactionStrategy,
    TruncationStrategy,
    apply_compaction,
)

tokenizer = CharacterEstimatorTokenizer()
CHAT = [{"role": "user" if n % 2 else "assistant", "content": f"{n}: {'word ' * 40}"} for n in range(1, 13)]


class SummarizerClient:
    """What a chat client is, to a summarization strategy."""

    def __init__(self) -> None:
        self.asked = 0

    async def get_response(self, messages: list[dict[str, Any]], *, options: dict[str, Any] | None = None) -> Any:
        self.asked += 1
        return Message(role="assistant", content="They counted words.")


async def test_truncation_with_a_token_limit() -> None:
    strategy = TruncationStrategy(max_n=32_000, compact_to=16_000, tokenizer=tokenizer)
    assert await apply_compaction(CHAT, strategy=strategy, tokenizer=tokenizer) == CHAT
    small = TruncationStrategy(max_n=300, compact_to=160, tokenizer=tokenizer)
    kept = await apply_compaction(CHAT, strategy=small, tokenizer=tokenizer)
    assert [message["content"][:3] for message in kept] == ["10:", "11:", "12:"]


async def test_a_sliding_window_of_groups() -> None:
    assert await apply_compaction(CHAT, strategy=SlidingWindowStrategy(keep_last_groups=20)) == CHAT
    assert len(await apply_compaction(CHAT, strategy=SlidingWindowStrategy(keep_last_groups=5))) == 5


async def test_summarization_by_a_client() -> None:
    client = SummarizerClient()
    strategy = SummarizationStrategy(
        client=client, target_count=4, threshold=2, max_summary_input_tokens=16_000, tokenizer=tokenizer
    )
    kept = await apply_compaction(CHAT, strategy=strategy, tokenizer=tokenizer)
    assert (len(kept), client.asked) == (5, 1)
    assert kept[0]["content"] == "[Summary]\nThey counted words."


async def test_a_token_budget_over_several_strategies() -> None:
    strategy = TokenBudgetComposedStrategy(
        token_budget=16_000,
        tokenizer=tokenizer,
        strategies=[
            SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=1),
            SlidingWindowStrategy(keep_last_groups=20),
        ],
    )
    assert await apply_compaction(CHAT, strategy=strategy, tokenizer=tokenizer) == CHAT


async def test_a_pipeline_from_gentle_to_strict() -> None:
    pipeline = PipelineCompactionStrategy(
        strategies=[
            ToolResultCompactionStrategy(trigger=CompactionTriggers.tokens_exceed(0x200)),
            SummarizationStrategy(client=SummarizerClient(), trigger=CompactionTriggers.tokens_exceed(0x500)),
            SlidingWindowStrategy(trigger=CompactionTriggers.turns_exceed(4)),
            TruncationStrategy(trigger=CompactionTriggers.tokens_exceed(0x8000)),
        ]
    )
    kept = await apply_compaction(CHAT, strategy=pipeline)
    assert [message["content"][:2] for message in kept] == ["5:", "6:", "7:", "8:", "9:", "10", "11", "12"]


async def test_a_context_window() -> None:
    strategy = ContextWindowCompactionStrategy(max_context_window_tokens=128_000, max_output_tokens=16_384)
    assert await apply_compaction(CHAT, strategy=strategy) == CHAT


async def test_no_strategy_means_no_compaction() -> None:
    assert await apply_compaction(CHAT, strategy=None) == CHAT


async def test_a_custom_strategy_is_any_async_callable_on_a_list_of_messages() -> None:
    class KeepLast:
        async def __call__(self, messages: list[Message]) -> bool:
            changed = len(messages) > 2
            del messages[:-2]
            return changed

    assert [m["content"][:3] for m in await apply_compaction(CHAT, strategy=KeepLast())] == ["11:", "12:"]


def test_a_tokenizer_is_anything_that_counts() -> None:
    class Words:
        def count_tokens(self, text: str) -> int:
            return len(text.split())

    assert isinstance(Words(), TokenizerProtocol)
