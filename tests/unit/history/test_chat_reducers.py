"""Reducers, and their way from and to strategies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.support.agents import Model, Summarizer, broken_pairs, calls, texts
from turnfold import (
    Agent,
    InMemoryHistoryProvider,
    Message,
    MessageCountingChatReducer,
    ReducerStrategy,
    SlidingWindowStrategy,
    StrategyReducer,
    SummarizationStrategy,
    apply_compaction,
)

CHAT = [{"role": "user" if n % 2 else "assistant", "content": str(n)} for n in range(1, 9)]


async def test_counting_keeps_the_newest_messages() -> None:
    assert texts(await MessageCountingChatReducer(3).reduce(CHAT)) == ["6", "7", "8"]


async def test_counting_keeps_system_messages_and_does_not_count_them() -> None:
    system = {"role": "system", "content": "rules"}
    assert texts(await MessageCountingChatReducer(2).reduce([system, *CHAT])) == ["rules", "7", "8"]


async def test_counting_never_parts_a_call_from_its_results() -> None:
    chat = [*CHAT, calls(("f", {})), {"role": "tool", "tool_call_id": "call_1_0", "content": "r"}]
    reduced = await MessageCountingChatReducer(1).reduce(chat)
    assert broken_pairs(reduced) == []
    assert len(reduced) == 2


async def test_a_list_that_is_short_enough_comes_back_as_it_was() -> None:
    assert await MessageCountingChatReducer(20).reduce(CHAT) == CHAT


def test_a_count_must_be_a_number_that_makes_sense() -> None:
    with pytest.raises(ValueError, match="target_count"):
        MessageCountingChatReducer(0)


async def test_a_reducer_on_the_in_memory_history_shortens_what_is_sent_and_the_history_stays_whole() -> None:
    model, history = Model(), InMemoryHistoryProvider(reducer=MessageCountingChatReducer(2))
    agent = Agent(model, context_providers=[history])
    session = agent.create_session()
    for text in ("1", "2", "3"):
        await agent.run(text, session=session)
    assert model.last == ["2", "ok", "3"]
    assert texts(history.get_messages(session)) == ["1", "ok", "2", "ok", "3", "ok"]


async def test_a_strategy_is_a_reducer_by_an_adapter() -> None:
    reducer = StrategyReducer(SlidingWindowStrategy(keep_last_turns=1))
    assert texts(await reducer.reduce(CHAT)) == ["7", "8"]


async def test_a_reducer_is_a_strategy_by_an_adapter() -> None:
    strategy = ReducerStrategy(MessageCountingChatReducer(2))
    assert texts(await apply_compaction(CHAT, strategy=strategy)) == ["7", "8"]


async def test_a_reducer_of_the_caller_s_own_may_return_copies_and_new_messages() -> None:
    class Own:
        async def reduce(self, messages: Sequence[Mapping[str, Any]], /) -> list[Message]:
            return [Message(role="assistant", content="before that: much"), *(Message(m) for m in messages[-2:])]

    model, history = Model(), InMemoryHistoryProvider(reducer=Own())
    agent = Agent(model, context_providers=[history])
    session = agent.create_session()
    for text in ("yes", "yes", "yes"):
        await agent.run(text, session=session)
    assert model.last == ["before that: much", "yes", "ok", "yes"]


async def test_a_summarizing_strategy_on_a_history_is_paid_once_a_span() -> None:
    summarizer, model = Summarizer(), Model()
    strategy = SummarizationStrategy(client=summarizer, target_count=2, threshold=2)
    history = InMemoryHistoryProvider(reducer=strategy)
    agent = Agent(model, context_providers=[history])
    session = agent.create_session()
    for n in range(8):
        await agent.run(f"{n}: " + "many words " * 30, session=session)
    assert len(set(summarizer.asked)) == len(summarizer.asked) <= 6
    assert model.last[0].startswith("[Summary]")


async def test_what_is_neither_reducer_nor_strategy_is_refused() -> None:
    with pytest.raises(TypeError, match="strategy"):
        InMemoryHistoryProvider(reducer=7)  # type: ignore[arg-type]  # the mistake that is tested
