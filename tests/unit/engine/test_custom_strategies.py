"""Strategies of the caller's own, alone and among ours."""

from __future__ import annotations

from typing import Any

import pytest

from turnfold.compaction.apply import apply_compaction
from turnfold.compaction.custom import as_strategy
from turnfold.compaction.pipeline import PipelineCompactionStrategy
from turnfold.compaction.run import CompactionRun
from turnfold.compaction.sliding_window import SlidingWindowStrategy
from turnfold.compaction.token_budget import TokenBudgetComposedStrategy
from turnfold.index import MessageIndex
from turnfold.messages import Message

CHAT = [{"role": "user" if n % 2 else "assistant", "content": f"message {n}"} for n in range(1, 9)]


async def drop_two(messages: list[Message]) -> bool:
    del messages[:2]
    return True


async def note_instead(messages: list[Message]) -> bool:
    messages[:3] = [Message(role="assistant", content="three were here")]
    return True


async def nothing(messages: list[Message]) -> bool:
    return False


async def test_a_callable_is_a_strategy() -> None:
    kept = await apply_compaction(CHAT, strategy=drop_two)
    assert [message["content"] for message in kept] == [f"message {n}" for n in range(3, 9)]


async def test_in_a_pipeline_what_it_removes_is_hidden_with_its_name_as_the_reason() -> None:
    index, run = MessageIndex(CHAT), CompactionRun()
    assert await PipelineCompactionStrategy([drop_two, SlidingWindowStrategy(keep_last_turns=2)]).compact(index, run)
    assert [group.reason for group in index.groups] == ["drop_two"] * 2 + ["sliding_window"] * 2 + [None] * 4
    assert [action.strategy for action in run.actions] == ["drop_two", "sliding_window"]


async def test_what_it_puts_in_stands_for_what_it_took_out() -> None:
    index = MessageIndex(CHAT)
    await PipelineCompactionStrategy([note_instead]).compact(index)
    assert [message.text for message in index.projection()] == [
        "three were here",
        *(f"message {n}" for n in range(4, 9)),
    ]
    (made,) = index.made_groups
    assert made.summary_of == ("g0", "g1", "g2")
    assert index.included.messages == 6


async def test_a_group_of_which_a_message_is_gone_goes_whole() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    talk: list[dict[str, Any]] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "done"},
        {"role": "assistant", "content": "ok"},
    ]

    async def drop_the_result(messages: list[Message]) -> bool:
        messages[:] = [message for message in messages if message.role != "tool"]
        return True

    index = MessageIndex(talk)
    await as_strategy(drop_the_result).compact(index)
    assert [message.role for message in index.projection()] == ["user", "assistant"]


def tool_talk(*, answered: bool = True) -> list[dict[str, Any]]:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    result = [{"role": "tool", "tool_call_id": "c", "content": "a long result"}] if answered else []
    return [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        *result,
    ]


async def cut_results(messages: list[Message]) -> bool:
    for message in messages:
        if message.role == "tool":
            message["content"] = "short"
    return True


async def put_short_results_in(messages: list[Message]) -> bool:
    messages[:] = [Message(message, content="short") if message.role == "tool" else message for message in messages]
    return True


@pytest.mark.parametrize("strategy", [cut_results, put_short_results_in])
async def test_a_shorter_result_stays_with_its_call_and_the_history_keeps_the_long_one(strategy: Any) -> None:
    # given
    talk = [Message(message) for message in [*tool_talk(), {"role": "assistant", "content": "ok"}]]
    index = MessageIndex(talk)

    # when
    await as_strategy(strategy).compact(index)

    # then
    assert [message.get("content") for message in index.projection()] == ["go", None, "short", "ok"]
    assert [message.role for message in index.projection()] == ["user", "assistant", "tool", "assistant"]
    assert talk[2]["content"] == "a long result"
    assert index.included.tokens == MessageIndex(index.projection()).included.tokens
    assert [group.reason for group in index.groups] == [None, None, strategy.__name__, None]


async def test_a_result_that_answers_nothing_is_not_put_in() -> None:
    async def answer_nobody(messages: list[Message]) -> bool:
        messages.insert(1, Message(role="tool", tool_call_id="nobody", content="x"))
        return True

    index = MessageIndex(tool_talk())
    await as_strategy(answer_nobody).compact(index)

    assert index.projection() == tool_talk()


async def test_a_call_that_waits_is_hidden_where_something_is_put_behind_it_until_its_result_comes() -> None:
    # given
    async def add_a_note(messages: list[Message]) -> bool:
        messages.append(Message(role="assistant", content="note"))
        return True

    index = MessageIndex(tool_talk(answered=False))

    # when
    await as_strategy(add_a_note).compact(index)
    assert [message.get("content") for message in index.projection()] == ["go", "note"]
    index.append([{"role": "tool", "tool_call_id": "c", "content": "late"}])

    # then
    assert [message.get("content") for message in index.projection()] == ["go", None, "late", "note"]


async def test_one_that_changes_nothing_says_so() -> None:
    index = MessageIndex(CHAT)
    assert not await TokenBudgetComposedStrategy(token_budget=1000, strategies=[nothing]).compact(index)
    assert not await as_strategy(nothing).compact(index)


def test_what_is_neither_is_refused() -> None:
    with pytest.raises(TypeError, match="async callable"):
        PipelineCompactionStrategy([3])  # type: ignore[list-item]  # that is the point
