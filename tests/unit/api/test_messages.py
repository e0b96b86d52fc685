from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

from tests.support.waiting import wait_until_async
from tests.unit.api.chat import JSON, append, chat, problem
from turnfold.jobs.memory_queue import MemoryQueue

URL = "/v1/sessions/a/messages"


async def test_an_append_tells_positions_ids_and_the_new_revision(client: httpx.AsyncClient) -> None:
    message = {"role": "user", "content": "hello", "id": "mine"}

    answer = await client.post(URL, json={"messages": [message, *chat(1)], "usage": {"prompt_tokens": 3}})

    assert (answer.status_code, answer.headers["etag"]) == (201, '"1"')
    result = answer.json()
    assert (result["first"], result["last"], result["revision"], result["job"]) == (1, 2, 1, None)
    assert result["ids"][0] == "mine"
    assert result["counts"]["all"]["messages"] == 2


async def test_an_append_that_makes_a_summary_due_names_its_job(client: httpx.AsyncClient, queue: MemoryQueue) -> None:
    job = (await append(client, "a", 12))["job"]

    assert job["state"] == "queued"
    assert (await client.get(f"/v1/jobs/{job['id']}")).json()["session"] == "a"

    async def is_sent() -> bool:
        return queue.sent == [job["id"]]

    await wait_until_async(is_sent, description="a worker is woken")


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "messages"),
        ({"messages": {}}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "user", "content": "x"}] * 10_001}, "messages"),
        ({"messages": [{"role": "user"}, {"role": "king"}]}, "messages[1].role"),
        ({"messages": [{"role": "tool", "content": "x"}]}, "messages[0].tool_call_id"),
        ({"messages": [{"role": "user", "content": "x"}], "usage": 3}, "usage"),
        ({"messages": [{"role": "user", "content": "x"}], "pins": True}, "pins"),
    ],
)
async def test_a_bad_append_names_the_field_and_stores_nothing(
    client: httpx.AsyncClient, body: dict[str, Any], path: str
) -> None:
    answer = await client.post(URL, json=body)

    assert [error["path"] for error in problem(answer, 422, "invalid-input")["errors"]] == [path]
    problem(await client.get("/v1/sessions/a"), 404, "not-found")


@pytest.mark.parametrize("session_id", ["a%00b", "x" * 257, "a%0a"])
async def test_a_session_id_that_is_not_valid_is_refused_everywhere(client: httpx.AsyncClient, session_id: str) -> None:
    answer = await client.post(f"/v1/sessions/{session_id}/messages", json={"messages": chat(1)})

    assert problem(answer, 422, "invalid-input")["errors"][0]["path"] == "id"
    problem(await client.get(f"/v1/sessions/{session_id}/context"), 422, "invalid-input")


async def test_the_log_is_read_page_by_page(client: httpx.AsyncClient) -> None:
    messages = chat(5)
    ids = (await client.post(URL, json={"messages": messages})).json()["ids"]

    first = (await client.get(URL, params={"limit": 2})).json()
    last = (await client.get(URL, params={"after": 4, "limit": 2})).json()

    assert first == {"messages": messages[:2], "ids": ids[:2], "positions": [1, 2], "next": 2}
    assert last == {"messages": messages[4:], "ids": ids[4:], "positions": [5], "next": None}
    assert (await client.get(URL, params={"after": 99})).json()["messages"] == []
    assert (await client.get(URL, params={"after": 3, "limit": 2})).json()["next"] is None


@pytest.mark.parametrize("query", ["limit=0", "limit=1001", "limit=x", "after=-1", f"after={10**30}"])
async def test_a_bad_page_is_refused_by_name(client: httpx.AsyncClient, query: str) -> None:
    await append(client, "a", 1)

    told = problem(await client.get(f"{URL}?{query}"), 422, "invalid-input")

    assert told["errors"][0]["path"] == query.partition("=")[0]


async def test_the_same_key_and_body_get_the_same_answer_and_store_once(client: httpx.AsyncClient) -> None:
    key = {"Idempotency-Key": "k"}
    first = await client.post(URL, json={"messages": chat(1)}, headers=key)
    await append(client, "a", 1)

    again = await client.post(URL, json={"messages": chat(1)}, headers={**key, "If-Match": '"0"'})

    assert (again.status_code, again.content, again.headers["etag"]) == (201, first.content, first.headers["etag"])
    assert (await client.get("/v1/sessions/a")).json()["counts"]["all"]["messages"] == 2


async def test_the_same_key_with_another_body_is_refused(client: httpx.AsyncClient) -> None:
    key = {"Idempotency-Key": "k"}
    await client.post(URL, json={"messages": chat(1)}, headers=key)

    answer = await client.post(URL, json={"messages": chat(2)}, headers={**key, "If-Match": '"9"'})

    problem(answer, 422, "idempotency-mismatch")


async def test_a_key_holds_for_one_session(client: httpx.AsyncClient) -> None:
    key = {"Idempotency-Key": "k"}
    await append(client, "a", 1, headers=key)

    assert (await append(client, "b", 2, headers=key))["last"] == 2


async def test_requests_of_one_key_that_run_at_once_store_once(client: httpx.AsyncClient) -> None:
    key = {"Idempotency-Key": "k"}

    answers = await asyncio.gather(*(client.post(URL, json={"messages": chat(3)}, headers=key) for _ in range(20)))

    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1
    assert (await client.get("/v1/sessions/a")).json()["revision"] == 1


@pytest.mark.parametrize("key", ["", "k" * 256])
async def test_a_key_that_is_empty_or_too_long_is_refused_by_name(client: httpx.AsyncClient, key: str) -> None:
    answer = await client.post(URL, json={"messages": chat(1)}, headers={"Idempotency-Key": key})

    assert problem(answer, 422, "invalid-input")["errors"][0]["path"] == "Idempotency-Key"


async def test_an_append_on_another_revision_stores_nothing(client: httpx.AsyncClient) -> None:
    await append(client, "a", 1, headers={"If-Match": '"0"'})

    problem(await client.post(URL, json={"messages": chat(1)}, headers={"If-Match": '"0"'}), 412, "revision-mismatch")

    await append(client, "a", 1, headers={"If-Match": '"1"'})
    assert (await client.get("/v1/sessions/a")).json()["revision"] == 2


async def test_an_append_to_any_revision_needs_a_session(client: httpx.AsyncClient) -> None:
    answer = await client.post(URL, json={"messages": chat(1)}, headers={"If-Match": "*"})

    problem(answer, 412, "revision-mismatch")


EXACT = [
    '{"role":"user","content":"x","long":123456789012345678901234567890,"small":-9223372036854775809}',
    '{"role":"user","content":"x","edge":[9223372036854775807,18446744073709551615,18446744073709551616]}',
    '{"role":"user","content":"lone \\ud800 and \\udfff"}',
    '{"role":"user","content":"x","\\udc00":1}',
    '{"role":"user","content":"x","numbers":[1.0,0.1,1e-7,1.7976931348623157e308,-0.0,1]}',
    '{"role":"user","content":"x","empty":[[],{},"",null,false]}',
    '{"role":"user","content":"\\u0000 \\u2028 é 🎈 </script> \\" \\\\"}',
    '{"role":"user","content":"x","z":1,"a":2,"id":"\\ud83d"}',
    '{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{"}}]}',
]


@pytest.mark.parametrize("text", EXACT)
async def test_a_message_comes_back_exactly_as_it_was_appended(client: httpx.AsyncClient, text: str) -> None:
    answer = await client.post(URL, content=b'{"messages":[' + text.encode() + b"]}", headers=JSON)
    assert answer.status_code == 201, answer.text

    for url in (URL, "/v1/sessions/a/context"):
        read = (await client.get(url)).json()["messages"]
        assert repr(read) == repr([httpx.Response(200, text=text).json()])
