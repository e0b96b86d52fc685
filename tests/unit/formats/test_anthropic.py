from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from tests.unit.formats.talks import Item, anthropic_talk, assistant, result, text, thinking, use, user
from tests.unit.formats.validity import wrong_in_anthropic
from turnfold.errors import BadInput
from turnfold.formats import format_named
from turnfold.formats.source import report_in_input_terms
from turnfold.index import MessageIndex
from turnfold.messages import Message

ANTHROPIC = format_named("anthropic")
PIXEL = "iVBORw0KGgo="
OPENING = user("[The conversation so far]")
GO_ON = user("Continue.")


def again(messages: list[Item], system: Any = None) -> dict[str, Any]:
    return ANTHROPIC.write(ANTHROPIC.read({"system": system, "messages": messages}))


def written(*messages: Any) -> list[Item]:
    made: list[Item] = ANTHROPIC.write(messages)["messages"]
    return made


def chat_calls(*ids: str, arguments: Any = "{}") -> Item:
    calls = [{"id": i, "type": "function", "function": {"name": "look", "arguments": arguments}} for i in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def chat_result(call_id: str, content: Any = "found") -> Item:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def test_results_and_text_of_one_message_become_several_chat_messages() -> None:
    messages = [user("go"), assistant(text("I look"), use("a"), use("b")), user(result("a"), result("b"), text("and?"))]

    read = ANTHROPIC.read(messages)

    assert [message["role"] for message in read] == ["user", "assistant", "tool", "tool", "user"]
    assert [call["id"] for call in read[1]["tool_calls"]] == ["a", "b"]
    groups = report_in_input_terms([group.report() for group in MessageIndex(read).groups], read)
    assert [group["messages"] for group in groups] == [[0], [1, 2], [2]]


def test_thinking_is_reasoning_and_what_a_hosted_tool_found_is_text() -> None:
    search = {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "oslo"}}
    found = {"type": "web_search_result", "title": "Oslo", "url": "https://oslo", "encrypted_content": "secret" * 9}
    blocks = [search, {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": [found]}]

    alone, hosted = ANTHROPIC.read([assistant(thinking("let me see")), assistant(*blocks)])

    assert [group.kind for group in MessageIndex([hosted]).groups] == ["tool_call"]
    assert (alone.text, "Oslo" in hosted.text, "secret" in hosted.text) == ("let me see", True, False)
    assert again([user("go"), assistant(*blocks), user("ok")])["messages"][1] == assistant(*blocks)


@settings(max_examples=60, deadline=None)
@given(anthropic_talk())
def test_what_was_read_is_written_block_for_block(messages: list[Item]) -> None:
    assert wrong_in_anthropic({"system": None, "messages": messages}) == []
    assert again(messages) == {"system": None, "messages": messages}


@pytest.mark.parametrize(
    "system", [None, "Be brief.", [text("Be brief.", cache_control={"type": "ephemeral"}), text("!")]]
)
def test_the_system_prompt_comes_back_as_it_was(system: Any) -> None:
    assert again([user("hello")], system) == {"system": system, "messages": [user("hello")]}


def test_every_kind_of_block_comes_back() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
    document = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "a"}, "title": "t"}
    messages = [
        user(image, document, {"type": "container_upload", "file_id": "f"}),
        assistant({"type": "redacted_thinking", "data": "x"}, use("a", q=[1, 2])) | {"id": "msg_1"},
        user(result("a", [text("found"), image], is_error=True, cache_control={"type": "ephemeral"})),
    ]

    assert again(messages)["messages"] == messages


def test_a_documents_text_is_counted_and_its_base64_is_not() -> None:
    pdf = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": PIXEL}}
    plain = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "the text"}}

    (message,) = ANTHROPIC.read([user(pdf, plain)])

    assert message.text == "the text"


def test_messages_of_one_side_become_one() -> None:
    assert again([user("a"), user(text("b")), assistant("c"), assistant("d"), user("e")])["messages"] == [
        user(text("a"), text("b")),
        assistant(text("c"), text("d")),
        user("e"),
    ]


def test_results_come_first_and_right_behind_their_calls() -> None:
    late = [{"role": "user", "content": "go"}, chat_calls("a", "b"), {"role": "user", "content": "and?"}]

    assert written(*late, chat_result("b"), chat_result("a")) == [
        user("go"),
        assistant(use("a"), use("b")),
        user(result("b"), result("a"), text("and?")),
    ]


def test_blank_texts_and_thinking_without_a_signature_are_left_out() -> None:
    unsigned = {"type": "thinking", "thinking": "hm"}
    chat = {"role": "assistant", "content": [unsigned, {"type": "text", "text": "yes"}], "reasoning_content": "hm"}

    assert again([user(text(""), text("a")), assistant(text(" ")), user("")])["messages"] == [user(text("a"))]
    assert written({"role": "user", "content": "go"}, chat)[1] == assistant("yes")


def test_a_message_never_ends_in_thinking() -> None:
    assert again([user("a"), assistant(thinking()), user("b")])["messages"] == [user(text("a"), text("b"))]


def test_a_user_stands_first_and_last() -> None:
    assert again([assistant("Welcome!"), user("hi"), assistant("yes?")])["messages"] == [
        OPENING,
        assistant("Welcome!"),
        user("hi"),
        assistant("yes?"),
        GO_ON,
    ]


def test_a_summary_at_the_start_is_a_users_and_one_further_on_is_not() -> None:
    summary = Message.marked({"role": "assistant", "content": "[Summary] so far"}, {"summary_of": ["g0"]})
    hello = {"role": "user", "content": "hello"}

    assert written(summary, hello) == [user(text("[Summary] so far"), text("hello"))]
    assert written(hello, summary, hello)[1] == assistant("[Summary] so far")


def test_a_line_right_before_thinking_is_a_users_since_thinking_begins_its_message() -> None:
    line = Message.marked({"role": "assistant", "content": "[Tool results: look: found]"}, {"summary_of": ["g1"]})
    first, *rest = ANTHROPIC.read([user("go"), assistant(thinking(), use("b")), user(result("b"))])

    assert written(first, line, *rest) == [
        user(text("go"), text("[Tool results: look: found]")),
        assistant(thinking(), use("b")),
        user(result("b")),
    ]


def test_a_call_that_still_waits_is_left_out_with_its_group() -> None:
    messages = [user("go"), assistant(thinking(), use("a"), use("b")), user(result("a"))]

    assert again(messages[:2])["messages"] == [user("go")]
    assert again(messages)["messages"] == [user("go")]


def test_system_messages_of_a_chat_go_into_the_system_prompt() -> None:
    chat: list[Item] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "hello"},
        {"role": "developer", "content": [{"type": "text", "text": "Be kind."}]},
        {"role": "user", "content": "there"},
    ]

    assert ANTHROPIC.write(chat[:2]) == {"system": "Be brief.", "messages": [user("hello")]}
    assert ANTHROPIC.write(chat)["system"] == [text("Be brief."), text("Be kind.")]


def test_a_system_message_that_was_read_from_within_stays_where_the_api_allows_it() -> None:
    within = {"role": "system", "content": "From now on, Norwegian."}

    allowed = [user("a"), within, assistant("b"), user("c"), within]
    assert again(allowed) == {"system": None, "messages": allowed}
    assert again([user("a"), assistant("b"), within, user("c")], "Be brief.") == {
        "system": [text("Be brief."), text("From now on, Norwegian.")],
        "messages": [user("a"), assistant("b"), user("c")],
    }


def test_ids_are_unique_and_of_the_letters_that_the_api_takes() -> None:
    turn = [{"role": "user", "content": "go"}, chat_calls("call.1"), chat_result("call.1")]

    messages = written(*turn, *turn)

    assert wrong_in_anthropic({"system": None, "messages": messages}) == []
    assert [messages[n]["content"][0]["id"] for n in (1, 3)] == ["call_1", "call_1_2"]


@pytest.mark.parametrize(
    ("arguments", "given"),
    [
        ('{"q": 1}', {"q": 1}),
        ("", {}),
        (None, {}),
        ({"q": 1}, {"q": 1}),
        ('{"q": ', {"arguments": '{"q": '}),
        ("[1]", {"arguments": [1]}),
    ],
)
def test_arguments_become_an_object(arguments: Any, given: Item) -> None:
    messages = written({"role": "user", "content": "go"}, chat_calls("a", arguments=arguments), chat_result("a"))

    assert messages[1]["content"][0]["input"] == given


def test_chat_messages_are_rendered() -> None:
    parts = [
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}", "detail": "low"}},
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
        {"type": "image_url", "image_url": {"url": "data:image/tiff;base64,AAAA"}},
        {"type": "file", "file": {"file_data": "data:application/pdf;base64,AAAA", "filename": "a.pdf"}},
        {"type": "file", "file": {"file_id": "file-1"}},
        {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
    ]
    custom = {"id": "c", "type": "custom", "custom": {"name": "sql", "input": "SELECT 1"}}
    legacy = {"role": "assistant", "content": None, "function_call": {"name": "old", "arguments": "{}"}}

    messages = written(
        {"role": "user", "content": parts},
        {"role": "assistant", "content": "I look", "tool_calls": [custom]},
        chat_result("c", [{"type": "text", "text": "1"}, parts[0]]),
        legacy,
        {"role": "function", "name": "old", "content": "found"},
        {"role": "assistant", "content": None, "refusal": "No."},
        {"role": "user", "content": "why?"},
    )

    png = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
    assert wrong_in_anthropic({"system": None, "messages": messages}) == []
    assert messages == [
        user(
            png,
            {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
            text("[image]"),
            {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "AAAA"}},
            text("[file: file-1]"),
            text("[input_audio]"),
        ),
        assistant(text("I look"), use("c", "sql", input="SELECT 1")),
        user(result("c", [text("1"), png])),
        assistant(use("call_legacy", "old")),
        user(result("call_legacy")),
        assistant("No."),
        user("why?"),
    ]


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ("hello", "messages"),
        ({"system": "x"}, "messages"),
        ({"messages": [], "system": 3}, "system"),
        ({"messages": [], "system": [{"text": "x"}]}, r"system\[0\]\.type"),
        ([3], r"messages\[0\]"),
        ([{"role": "tool", "content": "x"}], r"messages\[0\]\.role"),
        ([{"role": "user"}], r"messages\[0\]\.content"),
        ([user({"text": "x"})], r"messages\[0\]\.content\[0\]\.type"),
        ([user({"type": "text"})], r"messages\[0\]\.content\[0\]\.text"),
        ([user({"type": "image"})], r"messages\[0\]\.content\[0\]\.source"),
        ([user("x"), user({"type": "tool_result"})], r"messages\[1\]\.content\[0\]\.tool_use_id"),
        ([user("x"), user(result("a", 3))], r"messages\[1\]\.content\[0\]\.content"),
        ([user(use("a"))], r"messages\[0\]\.content"),
        ([assistant({"type": "tool_use", "name": "f", "input": {}})], r"messages\[0\]\.content\[0\]\.id"),
        (
            [assistant({"type": "tool_use", "id": "a", "name": "f", "input": "{}"})],
            r"messages\[0\]\.content\[0\]\.input",
        ),
    ],
)
def test_what_is_wrong_is_named(value: Any, path: str) -> None:
    with pytest.raises(BadInput, match=rf"^{path}: "):
        ANTHROPIC.read(value)
