"""Policies of turnfold as strategies of the framework, and the other way round."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("agent_framework", reason="agent-framework is not installed here: `make adapters` runs this")

from agent_framework import (
    Content,
    Message,
    SelectiveToolCallCompactionStrategy,
    SlidingWindowStrategy,
    TokenBudgetComposedStrategy,
    ToolResultCompactionStrategy,
)
from agent_framework import apply_compaction as their_compaction

from tests.support.sessions import LONG
from turnfold import apply_compaction
from turnfold.adapters.agent_framework import framework_strategy, strategy
from turnfold.tokens.estimator import CharacterEstimatorTokenizer

COLLAPSE = {"strategy": "tool_result", "trigger": "always", "keep_last_tool_call_groups": 1}
WINDOW = {"strategy": "sliding_window", "keep_last_turns": 1}


def theirs(turns: int = 3) -> list[Message]:
    messages = []
    for number in range(1, turns + 1):
        messages += [
            Message("user", [f"Turn {number}"]),
            Message("assistant", [Content.from_function_call(f"c{number}", "f", arguments="{}")]),
            Message("tool", [Content.from_function_result(f"c{number}", result=LONG)]),
            Message("assistant", [f"Answer {number}"]),
        ]
    return messages


def ours(turns: int = 3) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for number in range(1, turns + 1):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        messages += [
            {"role": "user", "content": f"Turn {number}"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": LONG},
            {"role": "assistant", "content": f"Answer {number}"},
        ]
    return messages


async def test_a_policy_hides_messages_by_the_framework_s_own_marks() -> None:
    messages = theirs()
    shown = await their_compaction(messages, strategy=strategy(WINDOW))
    assert [message.text for message in shown if message.text] == ["Turn 3", "Answer 3"]
    assert len(messages) == 12
    assert messages[0].additional_properties["_exclude_reason"].startswith("turnfold:")


async def test_a_collapsed_call_is_a_line_in_its_place_that_names_its_sources() -> None:
    messages = theirs()
    shown = await their_compaction(messages, strategy=strategy(COLLAPSE))
    lines = [message for message in shown if message.text.startswith("[Tool results")]
    assert len(lines) == 2
    assert [message.text[:14] for message in shown[:3]] == ["Turn 1", "[Tool results:", "Answer 1"]
    assert len(lines[0].additional_properties["_summary_of_message_ids"]) == 2


async def test_run_again_on_its_own_result_it_changes_nothing() -> None:
    messages = theirs()
    made = strategy({"strategy": "pipeline", "strategies": [COLLAPSE, WINDOW]})
    first = await their_compaction(messages, strategy=made)
    second = await their_compaction(messages, strategy=made)
    assert [message.text for message in first] == [message.text for message in second]
    assert not await made(messages)


async def test_a_call_of_which_another_strategy_hid_half_goes_whole() -> None:
    messages = theirs()
    messages[1].additional_properties["_excluded"] = True
    shown = await their_compaction(messages, strategy=strategy(COLLAPSE | {"keep_last_tool_call_groups": 9}))
    kinds = [content.type for message in shown for content in message.contents]
    assert kinds.count("function_call") == kinds.count("function_result") == 2


async def test_it_can_be_one_of_the_framework_s_composed_strategies() -> None:
    messages = theirs()
    composed = TokenBudgetComposedStrategy(
        token_budget=300, tokenizer=CharacterEstimatorTokenizer(), strategies=[strategy(COLLAPSE)]
    )
    shown = await their_compaction(messages, strategy=composed, tokenizer=CharacterEstimatorTokenizer())
    assert 0 < len(shown) < 12


async def test_the_default_policy_leaves_a_short_conversation_as_it_is() -> None:
    messages = theirs()
    assert await their_compaction(messages, strategy=strategy()) == messages


async def test_their_strategies_run_on_our_conversations() -> None:
    messages = ours()
    shown = await apply_compaction(messages, strategy=framework_strategy(SlidingWindowStrategy(keep_last_groups=2)))
    assert shown[-1] == messages[-1]
    assert len(shown) < len(messages)
    selective = framework_strategy(SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=1))
    shown = await apply_compaction(messages, strategy=selective)
    assert [message.get("tool_call_id") for message in shown if message["role"] == "tool"] == ["c3"]


async def test_what_their_strategy_puts_in_stands_where_it_put_it() -> None:
    collapse = framework_strategy(ToolResultCompactionStrategy(keep_last_tool_call_groups=1))
    shown = await apply_compaction(ours(), strategy=collapse)
    texts = [str(message["content"]) for message in shown]
    assert texts[0] == "Turn 1"
    assert texts[1] != "None"
    assert texts[2] == "Answer 1"


async def test_a_strategy_of_theirs_that_changes_nothing_changes_nothing() -> None:
    messages = ours()
    window = framework_strategy(SlidingWindowStrategy(keep_last_groups=100))
    assert await apply_compaction(messages, strategy=window) == messages
