"""Step 1: messages that can't be kept without each other are a group."""

from __future__ import annotations

from typing import Any

from turnfold.groups import MessageGroupKind
from turnfold.index import MessageIndex

WEATHER: list[dict[str, Any]] = [
    {"role": "system", "content": "You are brief."},
    {"role": "user", "content": "How is the weather in Oslo?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "4 degrees, rain"},
    {"role": "assistant", "content": "Cold and wet."},
]


def test_a_call_and_its_result_are_one_group_everything_else_is_a_group_each() -> None:
    index = MessageIndex(WEATHER)
    assert [group.kind for group in index.groups] == [
        MessageGroupKind.SYSTEM,
        MessageGroupKind.USER,
        MessageGroupKind.TOOL_CALL,
        MessageGroupKind.ASSISTANT_TEXT,
    ]
    assert [len(group.messages) for group in index.groups] == [1, 1, 2, 1]


def test_a_user_message_begins_a_turn_and_system_messages_have_none() -> None:
    assert [group.turn for group in MessageIndex(WEATHER).groups] == [None, 1, 1, 1]


def test_an_index_grows_with_the_conversation_and_is_the_same_as_one_made_at_once() -> None:
    index = MessageIndex()
    for message in WEATHER:
        index.append([message])
    assert [g.report() for g in index.groups] == [g.report() for g in MessageIndex(WEATHER).groups]


def test_a_call_that_waits_is_sent_only_while_it_is_the_last_thing_said() -> None:
    index = MessageIndex(WEATHER[:3])
    assert index.pending_tool_call_ids == ["c1"]
    index.append([{"role": "user", "content": "Never mind."}])
    assert [message["role"] for message in index.projection()] == ["system", "user", "user"]
    index.append([WEATHER[3]])
    assert [message["role"] for message in index.projection()] == ["system", "user", "assistant", "tool", "user"]
