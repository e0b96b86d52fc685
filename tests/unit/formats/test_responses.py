from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from tests.unit.formats.talks import Item, call, output, responses_talk, said, thought
from tests.unit.formats.validity import wrong_in_responses
from turnfold.errors import BadInput
from turnfold.formats import format_named
from turnfold.formats.source import report_in_input_terms
from turnfold.index import MessageIndex
from turnfold.messages import Message

RESPONSES = format_named("responses")
PIXEL = "data:image/png;base64,iVBORw0KGgo="


def members(items: list[Item]) -> list[list[int]]:
    """Positions of each group's items."""
    read = RESPONSES.read(items)
    groups = report_in_input_terms([group.report() for group in MessageIndex(read).groups], read)
    return [group["messages"] for group in groups]


def written(*messages: Any) -> list[Item]:
    items: list[Item] = RESPONSES.write(messages)["messages"]
    return items


def test_calls_that_follow_each_other_are_parallel_calls_of_one_message() -> None:
    read = RESPONSES.read(
        [said("user", "go"), call("a"), call("b"), output("b"), output("a"), said("assistant", "done")]
    )

    assert [message["role"] for message in read] == ["user", "assistant", "tool", "tool", "assistant"]
    assert [one["id"] for one in read[1]["tool_calls"]] == ["a", "b"]


def test_reasoning_stays_with_what_follows_it() -> None:
    items = [said("user", "go"), thought("1"), call("a"), output("a"), thought("2"), said("assistant", "done")]

    assert members(items) == [[0], [1, 2, 3], [4, 5]]


def test_text_between_reasoning_and_its_call_stays_too() -> None:
    items = [said("user", "go"), thought(), said("assistant", "I look"), call("a"), output("a")]

    assert members(items) == [[0], [1, 2, 3, 4]]


def test_text_before_a_call_without_reasoning_is_a_group_of_its_own() -> None:
    assert members([said("user", "go"), said("assistant", "I look"), call("a"), output("a")]) == [[0], [1], [2, 3]]


def test_a_late_output_joins_its_call() -> None:
    items = [said("user", "go"), call("a"), said("user", "and?"), output("a"), said("assistant", "done")]

    assert members(items) == [[0], [1, 3], [2], [4]]


def test_encrypted_reasoning_is_not_counted_as_text() -> None:
    (alone,) = RESPONSES.read([thought() | {"summary": []}])

    assert MessageIndex([alone]).all.bytes == 0
    assert "gAAAA" in str(alone["reasoning_details"])


HOSTED: list[Item] = [
    {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "oslo"}},
    {"type": "file_search_call", "id": "fs_1", "status": "completed", "queries": ["q"], "results": [{"text": "found"}]},
    {
        "type": "code_interpreter_call",
        "id": "ci_1",
        "status": "completed",
        "code": "1+1",
        "container_id": "c",
        "outputs": [],
    },
    {"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": "aW1hZ2U="},
    {"type": "mcp_call", "id": "mcp_1", "name": "roll", "server_label": "dice", "arguments": "{}", "output": "4"},
]


@pytest.mark.parametrize("item", HOSTED, ids=lambda item: item["type"])
def test_a_hosted_tool_is_a_call_with_its_result_in_one_message(item: Item) -> None:
    (message,) = RESPONSES.read([item])
    (group,) = MessageIndex([message]).groups

    assert (group.kind, group.open_calls) == ("tool_call", ())
    assert "aW1hZ2U=" not in str(message)
    assert written(message) == [item]


CLIENT: list[tuple[Item, Item]] = [
    (
        {"type": "custom_tool_call", "call_id": "c", "name": "sql", "input": "SELECT 1"},
        {"type": "custom_tool_call_output", "call_id": "c", "output": [{"type": "input_text", "text": "1"}]},
    ),
    (
        {"type": "local_shell_call", "id": "lsh_1", "call_id": "c", "action": {"type": "exec", "command": ["ls"]}},
        {"type": "local_shell_call_output", "id": "lsh_1", "output": "README"},
    ),
    (
        {
            "type": "computer_call",
            "id": "cu_1",
            "call_id": "c",
            "action": {"type": "screenshot"},
            "status": "completed",
        },
        {"type": "computer_call_output", "call_id": "c", "output": {"type": "computer_screenshot", "image_url": PIXEL}},
    ),
    (
        {"type": "shell_call", "call_id": "c", "action": {"commands": ["ls"]}},
        {"type": "shell_call_output", "call_id": "c", "output": [{"stdout": "README", "stderr": ""}]},
    ),
    (
        {"type": "mcp_approval_request", "id": "mcpr_1", "name": "roll", "arguments": "{}", "server_label": "dice"},
        {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True},
    ),
    (
        {"type": "tool_search_call", "call_id": "c", "execution": "client", "arguments": {"goal": "dice"}},
        {"type": "tool_search_output", "call_id": "c", "execution": "client", "tools": [{"name": "roll"}]},
    ),
    (
        {"type": "item_reference", "id": "fc_9"},
        {"type": "function_call_output", "call_id": "call_9", "output": "found"},
    ),
]


@pytest.mark.parametrize(("asked", "answered"), CLIENT, ids=[asked["type"] for asked, _ in CLIENT])
def test_a_call_that_the_client_answers_waits_for_it(asked: Item, answered: Item) -> None:
    items = [said("user", "go"), asked, answered, said("assistant", "done")]

    read = RESPONSES.read(items)

    assert members(items) == [[0], [1, 2], [3]]
    assert RESPONSES.write(read)["messages"] == items
    assert read[2]["content"]


def test_other_items_come_back_too() -> None:
    items: list[Item] = [
        {"role": "developer", "content": "Be brief."},
        {"type": "additional_tools", "role": "developer", "tools": [{"type": "function", "name": "look"}]},
        {"type": "compaction", "encrypted_content": "abc"},
        {"id": "msg_1"},
        {"type": "mcp_list_tools", "id": "mcpl_1", "server_label": "dice", "tools": [{"name": "roll"}]},
        {"type": "tool_search_call", "arguments": {}, "execution": "server", "call_id": None},
        {"type": "tool_search_output", "tools": [], "execution": "server", "call_id": None},
        {
            "role": "user",
            "content": [{"type": "input_file", "file_id": "f"}, {"type": "input_image", "image_url": PIXEL}],
        },
        {"type": "message", "id": "m", "role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]},
    ]

    assert RESPONSES.write(RESPONSES.read(items))["messages"] == items


@settings(max_examples=60, deadline=None)
@given(responses_talk())
def test_what_was_read_is_written_item_for_item(items: list[Item]) -> None:
    assert wrong_in_responses(items) == []
    assert RESPONSES.write(RESPONSES.read(items))["messages"] == items


@pytest.mark.parametrize("holder", ["input", "messages"])
def test_an_object_may_hold_the_items(holder: str) -> None:
    assert RESPONSES.read({holder: [said("user", "hello")]}) == [{"role": "user", "content": "hello"}]


def test_an_output_without_its_call_and_reasoning_with_nothing_behind_it_are_left_out() -> None:
    items = [output("nobody"), said("user", "go"), thought("1"), said("user", "well?"), thought("2")]

    assert RESPONSES.write(RESPONSES.read(items))["messages"] == [items[1], items[3]]


def test_a_call_that_still_waits_stays_as_the_last_group() -> None:
    items = [said("user", "go"), thought(), call("a"), call("b"), output("a")]

    assert RESPONSES.write(RESPONSES.read(items))["messages"] == items


def test_a_message_that_was_changed_since_is_rendered() -> None:
    (message,) = RESPONSES.read([said("user", "my card is 1234", id="msg_1")])
    message["content"] = "my card is [hidden]"

    assert written(message) == [said("user", "my card is [hidden]")]


def test_new_messages_become_plain_items() -> None:
    summary = Message.marked({"role": "assistant", "content": "[Summary] all is well"}, {"summary_of": ["g0"]})

    assert written(summary) == [said("assistant", "[Summary] all is well")]


def test_chat_messages_are_rendered() -> None:
    calls = [
        {"id": "a", "type": "function", "function": {"name": "look up", "arguments": '{"q": 1}'}},
        {"id": "b", "type": "custom", "custom": {"name": "sql", "input": "SELECT 1"}},
    ]
    image = {"type": "image_url", "image_url": {"url": PIXEL, "detail": "low"}}

    items = written(
        {"role": "user", "content": [{"type": "text", "text": "see"}, image]},
        {"role": "assistant", "content": "I look", "reasoning_content": "hm", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "a", "content": "found"},
        {"role": "tool", "tool_call_id": "b", "content": [{"type": "text", "text": "1"}]},
        {"role": "assistant", "content": None, "refusal": "No."},
        {"role": "assistant", "content": ""},
    )

    assert items == [
        said("user", "") | {
            "content": [
                {"type": "input_text", "text": "see"},
                {"type": "input_image", "detail": "low", "image_url": PIXEL},
            ]
        },
        said("assistant", "I look"),
        {"type": "function_call", "call_id": "a", "name": "look_up", "arguments": '{"q": 1}'},
        {"type": "custom_tool_call", "call_id": "b", "name": "sql", "input": "SELECT 1"},
        {"type": "function_call_output", "call_id": "a", "output": "found"},
        {"type": "custom_tool_call_output", "call_id": "b", "output": [{"type": "input_text", "text": "1"}]},
        said("assistant", "") | {"content": [{"type": "refusal", "refusal": "No."}]},
    ]  # fmt: skip


def test_a_legacy_call_gets_an_id_that_its_result_shares() -> None:
    legacy = {"role": "assistant", "content": None, "function_call": {"name": "old", "arguments": "{}"}}
    answer = {"role": "function", "name": "old", "content": "found"}

    items = written(legacy, answer, legacy, answer)

    assert [item["call_id"] for item in items] == ["call_legacy", "call_legacy", "call_legacy_2", "call_legacy_2"]


def test_encrypted_reasoning_survives_in_the_chat_message_alone() -> None:
    items = [thought(), said("assistant", "done")]
    (stored,) = [dict(message) for message in RESPONSES.read(items)]

    assert written(stored) == items


WRONG: list[tuple[Any, str]] = [
    ("hello", "messages"),
    ([3], r"messages\[0\]"),
    ([{"content": "x"}], r"messages\[0\]\.type"),
    ([{"type": "nonsense"}], r"messages\[0\]\.type"),
    ([{"type": 3}], r"messages\[0\]\.type"),
    ([{"role": "tool", "content": "x"}], r"messages\[0\]\.role"),
    ([{"role": "user"}], r"messages\[0\]\.content"),
    ([{"role": "user", "content": [{"text": "x"}]}], r"messages\[0\]\.content\[0\]\.type"),
    ([{"role": "user", "content": [{"type": "input_text"}]}], r"messages\[0\]\.content\[0\]\.text"),
    ([{"type": "function_call", "name": "f", "arguments": "{}"}], r"messages\[0\]\.call_id"),
    ([{"type": "function_call", "call_id": "a", "name": "f"}], r"messages\[0\]\.arguments"),
    ([{"type": "function_call", "call_id": "a", "name": "f", "arguments": {}}], r"messages\[0\]\.arguments"),
    ([call("a"), {"type": "function_call_output", "output": "x"}], r"messages\[1\]\.call_id"),
    ([call("a"), {"type": "function_call_output", "call_id": "a"}], r"messages\[1\]\.output"),
    ([{"type": "reasoning", "id": "r", "summary": "x"}], r"messages\[0\]\.summary"),
    ({"items": []}, "input"),
    ({"input": "hello"}, "input"),
]


@pytest.mark.parametrize(("items", "path"), WRONG)
def test_what_is_wrong_is_named(items: Any, path: str) -> None:
    with pytest.raises(BadInput, match=rf"^{path}: "):
        RESPONSES.read(items)
