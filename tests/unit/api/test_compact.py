from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.unit.api.chat import chat, problem
from turnfold.sessions.memory_store import MemoryStore

SUMMARIZE = {"strategy": "summarization", "target_count": 2, "threshold": 2}
WINDOW = {"strategy": "truncation", "max_messages": 2, "minimum_preserved": 1}
LAST_GROUP = {"strategy": "sliding_window", "keep_last_groups": 1}


async def test_messages_are_compacted_and_nothing_is_stored(client: httpx.AsyncClient, store: MemoryStore) -> None:
    answer = await client.post("/v1/compact", json={"messages": chat(6), "policy": WINDOW, "format": "chat"})

    report = answer.json()
    assert report["messages"] == chat(6)[4:]
    assert (report["before"]["messages"], report["after"]["messages"]) == (6, 2)
    assert [group["messages"] for group in report["groups"]] == [[n] for n in range(6)]
    assert [action["strategy"] for action in report["actions"]] == ["truncation"]
    assert await store.list_sessions("default", None, 10) == []


async def test_summaries_are_made_only_where_they_are_asked_for(client: httpx.AsyncClient) -> None:
    body = {"messages": chat(12), "policy": SUMMARIZE}

    without = (await client.post("/v1/compact", json=body)).json()
    with_them = (await client.post("/v1/compact", json={**body, "summarize": True})).json()

    assert without["messages"] == chat(12)
    assert with_them["messages"][0]["content"].startswith("[Summary]")
    assert with_them["after"]["tokens"] < with_them["before"]["tokens"]


async def test_items_of_the_responses_api_are_compacted_as_such(client: httpx.AsyncClient) -> None:
    items: list[dict[str, Any]] = [
        {"type": "message", "role": "user", "content": "go"},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"},
        {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "found"},
    ]

    answer = await client.post("/v1/compact", json={"messages": items, "policy": LAST_GROUP, "format": "responses"})

    report = answer.json()
    assert report["messages"] == items[1:]
    assert [group["messages"] for group in report["groups"]] == [[0], [1, 2, 3]]
    assert "system" not in report


@pytest.mark.parametrize("system", [None, "Be brief.", [{"type": "text", "text": "Be brief."}]])
async def test_anthropic_messages_are_compacted_with_their_system_prompt(
    client: httpx.AsyncClient, system: Any
) -> None:
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "look", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "found"}]},
        {"role": "assistant", "content": "done"},
        {"role": "user", "content": "thanks"},
    ]
    body = {"messages": messages, "system": system, "policy": LAST_GROUP, "format": "anthropic"}

    report = (await client.post("/v1/compact", json=body)).json()

    assert (report["system"], report["messages"]) == (system, messages[4:])
    assert [group["messages"] for group in report["groups"] if group["kind"] != "system"] == [[0], [1, 2], [3], [4]]


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"policy": {"strategy": "magic"}}, "policy.strategy"),
        ({"policy": {**WINDOW, "tokenizer": "none such"}}, "policy.tokenizer"),
        ({"policy": "window"}, "policy"),
        ({"policy": None}, "policy"),
        ({"messages": "hello"}, "messages"),
        ({"messages": [{"role": "user"}, 3]}, "messages[1]"),
        ({"format": "xml"}, "format"),
        ({"format": "anthropic", "messages": [{"role": "tool", "content": "x"}]}, "messages[0].role"),
        ({"format": "anthropic", "system": 3}, "system"),
        ({"format": "responses", "messages": [{"type": "function_call"}]}, "messages[0].call_id"),
        ({"system": "Be brief."}, "system"),
        ({"summarize": "yes"}, "summarize"),
        ({"model": "gpt"}, "model"),
    ],
)
async def test_a_field_that_is_wrong_is_named(client: httpx.AsyncClient, changes: dict[str, Any], path: str) -> None:
    answer = await client.post("/v1/compact", json={"messages": chat(1), "policy": WINDOW, **changes})

    assert answer.status_code == 422
    assert [error["path"] for error in answer.json()["errors"]] == [path]


async def test_a_policy_must_be_given(client: httpx.AsyncClient) -> None:
    answer = await client.post("/v1/compact", json={"messages": chat(1)})

    assert problem(answer, 422, "invalid-input")["errors"] == [{"path": "policy", "message": "is missing"}]
