"""Whatever JSON stands in a message: it is taken as it is, or refused by the name of its field; nothing breaks."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from turnfold import MessageIndex
from turnfold.errors import BadInput
from turnfold.formats import FORMATS, format_named
from turnfold.jobs.memory_queue import MemoryQueue
from turnfold.jsonio import is_array, is_object
from turnfold.messages import checked_messages
from turnfold.policy import Policy
from turnfold.service import TurnfoldService
from turnfold.sessions.memory_store import MemoryStore
from turnfold.summaries.extractive import extract
from turnfold.summaries.summarizer import SummaryRequest
from turnfold.summaries.transcript import entries

Path = tuple[str | int, ...]
VALUES: list[Any] = [
    None, True, 5, -1.5, "", "x", "data:image/png;base64,!!", "data:", [], {}, [[]], [None], [5], ["x"], [{}], {"a": 1},
    {"type": []}, [{"type": []}], [{"type": 5}], {"url": 5}, {"url": {}}, "\ud800", 10**30, {"text": []},
    [{"type": "text", "text": 5}], [{"type": "image_url", "image_url": 5}], {"name": [], "arguments": {}}, "c1",
]  # fmt: skip
CHAT: list[Any] = [
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "hi"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA", "detail": "low"}},
            {"type": "input_audio", "input_audio": {"data": "AA", "format": "wav"}},
            {"type": "file", "file": {"file_id": "x"}},
        ],
    },
    {
        "role": "assistant", "content": None, "refusal": None, "audio": {"id": "a", "transcript": "x"},
        "reasoning_content": "r", "reasoning_details": [{"type": "reasoning.text", "text": "t", "signature": "s"}],
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}},
            {"id": "c2", "type": "custom", "custom": {"name": "g", "input": "x"}},
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "r"}]},
    {"role": "assistant", "content": "x", "function_call": {"name": "f", "arguments": "{}"}},
    {"role": "function", "name": "f", "content": "r"},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "t", "signature": "s"},
            {"type": "server_tool_use", "id": "s", "name": "n", "input": {}},
            {"type": "refusal", "refusal": "no"},
        ],
    },
    {"role": "developer", "content": "d", "name": "n"},
]  # fmt: skip
RESPONSES: list[Any] = [
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "x"}]},
    {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "x"}], "encrypted_content": "e"},
    {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c", "output": [{"type": "input_text", "text": "x"}]},
    {"type": "web_search_call", "id": "w", "status": "completed", "action": {"query": "x"}},
]
ANTHROPIC: list[Any] = [
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "x"},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA"}},
        ],
    },
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "t", "signature": "s"},
            {"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}},
        ],
    },
    {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "x"}]}],
    },
]
POLICY = Policy.parse(
    {
        "strategy": "pipeline",
        "strategies": [
            {"strategy": "tool_result", "trigger": "always", "minimum_preserved": 0},
            {"strategy": "sliding_window", "keep_last_turns": 1},
        ],
    }
)


def paths(value: Any, path: Path = ()) -> Iterator[Path]:
    yield path
    holder: Any = value
    pairs: Any = holder.items() if is_object(value) else enumerate(holder) if is_array(value) else ()
    for name, child in pairs:
        yield from paths(child, (*path, name))


def put(value: Any, path: Path, new: Any) -> Any:
    """A copy with another value at the path."""
    if not path:
        return new
    copy = json.loads(json.dumps(value))
    holder = copy
    for name in path[:-1]:
        holder = holder[name]
    holder[path[-1]] = new
    return copy


def refused_at(messages: Any, name: str = "chat") -> str:
    """The field that is refused; `messages` where none is."""
    try:
        use(messages if name == "chat" else format_named(name, "format").read(messages))
    except BadInput as error:
        return error.path
    return "messages"


def use(messages: Any) -> None:
    """All that is done with messages, but for the store."""
    checked = checked_messages(messages)
    MessageIndex(checked)
    entries(checked)
    extract(SummaryRequest(messages=checked, source_tokens=500, max_tokens=100, count_tokens=len))
    for name in FORMATS:
        format_named(name, "format").write(checked)


@pytest.mark.parametrize("path", [path for path in paths(CHAT) if path])
def test_any_value_anywhere_in_a_message_is_taken_or_refused(path: Path) -> None:
    for value in VALUES:
        assert refused_at(put(CHAT, path, value)).startswith("messages")


def test_several_wrong_values_are_taken_or_refused() -> None:
    rng = random.Random(11)
    for _ in range(500):
        messages: Any = CHAT
        for _ in range(rng.randint(2, 4)):
            places = [path for path in paths(messages) if path]
            messages = put(messages, rng.choice(places), rng.choice(VALUES)) if places else messages
        assert refused_at(messages).startswith("messages")


@pytest.mark.parametrize(("name", "items"), [("responses", RESPONSES), ("anthropic", ANTHROPIC)])
def test_any_value_anywhere_in_other_formats_is_taken_or_refused(name: str, items: list[Any]) -> None:
    for path in paths(items):
        for value in VALUES:
            assert refused_at(put(items, path, value), name)


async def test_what_is_taken_is_stored_and_given_back() -> None:
    for path in [path for path in paths(CHAT) if len(path) > 1][::3]:
        for value in VALUES[::4]:
            service = TurnfoldService(store=MemoryStore(), queue=MemoryQueue(), policy=POLICY, ttl_seconds=60)
            messages = put(CHAT, path, value)
            try:
                await service.append("s", messages)
            except BadInput:
                continue
            await service.context("s")
            read = await service.messages("s")
            assert [entry.message for entry in read.entries.values()] == messages


@pytest.mark.parametrize("kind", [5, None, [], {}])
def test_a_part_whose_type_is_no_string_is_refused_by_name(kind: Any) -> None:
    with pytest.raises(BadInput) as caught:
        checked_messages([{"role": "user", "content": ["x", {"type": kind}]}])

    assert caught.value.path == "messages[0].content[1].type"
