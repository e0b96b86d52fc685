"""Sixty rounds of tools for one question, each result 8,000 tokens."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.agents import Model, Summarizer, broken_pairs, calls, texts, tokens_of
from turnfold import (
    Agent,
    CharacterEstimatorTokenizer,
    CompactionProvider,
    ContextWindowCompactionStrategy,
    InMemoryHistoryProvider,
    SlidingWindowStrategy,
    SummarizationStrategy,
    TokenBudgetComposedStrategy,
    ToolResultCompactionStrategy,
    create_harness_agent,
)
from turnfold.compaction.strategy import CompactionStrategy

ROUNDS = 60
RESULT_TOKENS = 8000
QUESTION = "In which of these files is the crate DK-99812 mentioned?"


def read_file(number: int) -> str:
    """Reads a file."""
    line = f"file {number}: pallets, invoices and the weather of Esbjerg; "
    return (line * (RESULT_TOKENS * 4 // len(line) + 1))[: RESULT_TOKENS * 4]


def sixty_rounds() -> Model:
    return Model([*(calls(("read_file", {"number": n}), number=n) for n in range(1, ROUNDS + 1)), "In none of them."])


def budget_of_16k(summarizer: Summarizer) -> CompactionStrategy:
    return TokenBudgetComposedStrategy(
        token_budget=16_000,
        tokenizer=CharacterEstimatorTokenizer(),
        strategies=[
            ToolResultCompactionStrategy(keep_last_tool_call_groups=1),
            SummarizationStrategy(client=summarizer, target_count=4, threshold=2),
            SlidingWindowStrategy(keep_last_groups=20),
        ],
    )


def summaries_within_32k(summarizer: Summarizer) -> CompactionStrategy:
    return TokenBudgetComposedStrategy(
        token_budget=32_000,
        strategies=[SummarizationStrategy(client=summarizer, target_count=4, threshold=2)],
    )


def window_of_64k(summarizer: Summarizer) -> CompactionStrategy:
    return ContextWindowCompactionStrategy(max_context_window_tokens=64_000, max_output_tokens=4_000)


@pytest.mark.parametrize(
    ("made", "budget"), [(budget_of_16k, 16_000), (summaries_within_32k, 32_000), (window_of_64k, 60_000)]
)
@pytest.mark.parametrize("place", ["agent", "client", "harness"])
async def test_every_call_is_within_the_budget_pairs_are_whole_and_no_span_is_paid_twice(
    made: Callable[[Summarizer], CompactionStrategy], budget: int, place: str
) -> None:
    summarizer, model, history = Summarizer(), sixty_rounds(), InMemoryHistoryProvider()
    strategy = made(summarizer)
    if place == "agent":
        agent = Agent(model, tools=[read_file], context_providers=[history], compaction_strategy=strategy)
    elif place == "client":
        client = Agent(model).client.with_context_providers([CompactionProvider(strategy)])
        agent = client.as_agent(tools=[read_file], context_providers=[history])
    else:
        agent = create_harness_agent(
            model,
            tools=[read_file],
            history_provider=history,
            before_compaction_strategy=strategy,
            after_compaction_strategy=strategy,
            harness_instructions="",
        )
    session = agent.create_session()

    response = await agent.run(QUESTION, session=session)

    assert response.text == "In none of them."
    assert len(model.sent) == ROUNDS + 1
    assert max(tokens_of(sent) for sent in model.sent) <= budget
    assert [broken_pairs(sent) for sent in model.sent] == [[]] * len(model.sent)
    assert all(QUESTION in texts(sent) for sent in model.sent)
    assert max(summarizer.times_folded(f"file {n}: ") for n in range(1, ROUNDS + 1)) <= 1
    assert len(history.get_messages(session)) == 2 * ROUNDS + 2
