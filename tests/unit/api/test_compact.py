from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.unit.api.chat import chat, problem
from turnfold.sessions.memory_store import MemoryStore

SUMMARIZE = {"strategy": "summarization", "target_count": 2, "threshold": 2}
WINDOW = {"strategy": "truncation", "max_messages": 2, "minimum_preserved": 1}


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


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"policy": {"strategy": "magic"}}, "policy.strategy"),
        ({"policy": {**WINDOW, "tokenizer": "none such"}}, "policy.tokenizer"),
        ({"policy": "window"}, "policy"),
        ({"policy": None}, "policy"),
        ({"messages": "hello"}, "messages"),
        ({"messages": [{"role": "user"}, 3]}, "messages[1]"),
        ({"format": "anthropic"}, "format"),
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
