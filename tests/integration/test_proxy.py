"""The official client of OpenAI against turnfold, as any backend uses it, with a model's server behind."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import openai
import pytest

from tests.support.model_server import Fail, Gate, ModelServer, Say
from tests.support.served_app import served
from tests.support.streamed_answer import Reply, Streamed
from tests.support.waiting import wait_until
from turnfold.jobs.memory_queue import MemoryQueue
from turnfold.policy import Policy
from turnfold.service import TurnfoldService
from turnfold.sessions.memory_store import MemoryStore
from turnfold.settings import Settings
from turnfold_api.app import create_app

MODEL = "small-model"
TOOL: dict[str, Any] = {
    "type": "function",
    "function": {"name": "look", "parameters": {"type": "object", "properties": {}}},
}


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def policy() -> dict[str, Any]:
    return {"strategy": "sliding_window", "keep_last_turns": 2}


@pytest.fixture
def address(model: ModelServer, policy: dict[str, Any]) -> Iterator[str]:
    service = TurnfoldService(store=MemoryStore(), queue=MemoryQueue(), policy=Policy.parse(policy), ttl_seconds=3600)
    settings = Settings(upstream_base_url=model.base_url)
    with served(create_app(settings, service=service)) as url:
        yield url


@pytest.fixture
async def client(address: str) -> AsyncIterator[Any]:
    async with openai.AsyncOpenAI(base_url=f"{address}/s/chat/v1", api_key="the-users-own", max_retries=0) as client:
        yield client


@pytest.fixture
async def http(address: str) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=address) as client:
        yield client


async def log_of(http: httpx.AsyncClient, session: str = "chat") -> list[tuple[str, Any]]:
    answer = await http.get(f"/v1/sessions/{session}/messages")
    return [(message["role"], message.get("content")) for message in answer.json()["messages"]]


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def assistant(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


async def ask(client: Any, messages: list[Any], **more: Any) -> str | None:
    reply = await client.chat.completions.create(model=MODEL, messages=messages, **more)
    said: str | None = reply.choices[0].message.content
    return said


async def test_a_client_that_resends_everything_stores_each_message_once(
    client: Any, http: httpx.AsyncClient, model: ModelServer
) -> None:
    model.tell("", Say("A1"), Say("A2"), Say("A3"))
    history: list[dict[str, Any]] = [{"role": "system", "content": "Be brief."}]

    for number in (1, 2, 3):
        history.append(user(f"U{number}"))
        history.append(assistant(await ask(client, history) or ""))

    expected = [("system", "Be brief.")]
    expected += [pair for n in (1, 2, 3) for pair in (("user", f"U{n}"), ("assistant", f"A{n}"))]
    assert await log_of(http) == expected
    assert [m["content"] for m in model.calls("U3")[0].body["messages"]] == ["Be brief.", "U2", "A2", "U3"]


async def test_a_client_that_sends_only_what_is_new_or_a_part_is_understood(
    client: Any, http: httpx.AsyncClient, model: ModelServer
) -> None:
    model.tell("", Say("A1"), Say("A2"), Say("A3"))

    await ask(client, [user("U1")])
    await ask(client, [user("U2")])
    await ask(client, [user("U2"), assistant("A2"), user("U3")])

    told = [pair for n in (1, 2, 3) for pair in (("user", f"U{n}"), ("assistant", f"A{n}"))]
    assert await log_of(http) == told


async def test_the_same_word_twice_is_said_twice(client: Any, http: httpx.AsyncClient, model: ModelServer) -> None:
    model.tell("", Say("sure?"), Say("sure?"))

    await ask(client, [user("yes")])
    await ask(client, [user("yes")])

    assert await log_of(http) == [("user", "yes"), ("assistant", "sure?")] * 2


async def test_an_edited_history_goes_on_in_a_branch_and_overwrites_nothing(
    client: Any, http: httpx.AsyncClient, model: ModelServer
) -> None:
    model.tell("", Say("A1"), Say("A2"), Say("B2"), Say("B3"))
    await ask(client, [user("U1")])
    await ask(client, [user("U1"), assistant("A1"), user("U2")])

    edited = [user("U1"), assistant("A1"), user("other")]
    raw = await client.chat.completions.with_raw_response.create(model=MODEL, messages=edited)
    await ask(client, [*edited, assistant("B2"), user("on")])

    assert raw.headers["X-Turnfold-Branch"] == "chat~1"
    assert await log_of(http) == [("user", "U1"), ("assistant", "A1"), ("user", "U2"), ("assistant", "A2")]
    assert await log_of(http, "chat~1") == [
        ("user", "U1"),
        ("assistant", "A1"),
        ("user", "other"),
        ("assistant", "B2"),
        ("user", "on"),
        ("assistant", "B3"),
    ]


async def test_a_tool_loop_with_parallel_calls_runs_to_its_end(
    client: Any, http: httpx.AsyncClient, model: ModelServer
) -> None:
    calls = [{"id": i, "type": "function", "function": {"name": "look", "arguments": "{}"}} for i in ("a", "b")]
    model.tell("", Reply({"role": "assistant", "content": None, "refusal": None, "tool_calls": calls}), Say("found"))
    messages: list[Any] = [user("where?")]

    first = await client.chat.completions.create(model=MODEL, messages=messages, tools=[TOOL])
    message = first.choices[0].message
    messages.append(message.model_dump(exclude_none=True))
    messages += [{"role": "tool", "tool_call_id": call.id, "content": "on the shelf"} for call in message.tool_calls]
    last = await ask(client, messages, tools=[TOOL])

    assert last == "found"
    assert [role for role, _ in await log_of(http)] == ["user", "assistant", "tool", "tool", "assistant"]
    assert len(model.calls("on the shelf")[0].body["messages"]) == 4


async def test_a_stream_passes_through_with_its_usage_and_is_stored_whole(
    client: Any, http: httpx.AsyncClient, model: ModelServer
) -> None:
    usage = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
    model.tell("", Streamed([{"role": "assistant", "content": "Hel"}, {"content": "lo"}], usage=usage), Say("A2"))

    stream = await client.chat.completions.create(
        model=MODEL, messages=[user("U1")], stream=True, stream_options={"include_usage": True}
    )  # fmt: skip
    chunks = [chunk async for chunk in stream]
    await ask(client, [user("U1"), assistant("Hello"), user("U2")])

    assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == "Hello"
    assert chunks[-1].usage is not None
    assert await log_of(http) == [("user", "U1"), ("assistant", "Hello"), ("user", "U2"), ("assistant", "A2")]


async def test_streamed_calls_are_put_together(client: Any, http: httpx.AsyncClient, model: ModelServer) -> None:
    def part(index: int, **function: str) -> dict[str, Any]:
        named = {"id": f"call-{index}", "type": "function"} if "name" in function else {}
        return {"tool_calls": [{"index": index, **named, "function": function}]}

    deltas = [part(0, name="look", arguments=""), part(0, arguments='{"at":'), part(1, name="look", arguments="{}"),
              part(0, arguments="1}")]  # fmt: skip
    model.tell("", Streamed(deltas, finish_reason="tool_calls"))

    stream = await client.chat.completions.create(model=MODEL, messages=[user("go")], stream=True)
    async for _ in stream:
        pass

    stored = (await http.get("/v1/sessions/chat/messages")).json()["messages"][-1]
    assert [call["function"]["arguments"] for call in stored["tool_calls"]] == ['{"at":1}', "{}"]


async def test_what_was_sent_before_a_client_hung_up_is_stored_and_marked_partial(
    client: Any, http: httpx.AsyncClient, model: ModelServer
) -> None:
    gate = Gate()
    model.tell("U1", Streamed([{"content": "Half"}, {"content": " a word"}], gate=gate))

    stream = await client.chat.completions.create(model=MODEL, messages=[user("U1")], stream=True)
    async for _ in stream:
        break
    await stream.response.aclose()
    messages: list[Any] = []
    for _ in range(200):
        if (answer := await http.get("/v1/sessions/chat/messages")).status_code == 200:
            messages = answer.json()["messages"]
            break
        await http.get("/livez")
    gate.open()

    assert [message["content"] for message in messages] == ["U1", "Half"]
    assert messages[-1]["turnfold_partial"] is True
    model.tell("U2", Say("A2"))
    await ask(client, [user("U1"), assistant("Half"), user("U2")])
    assert "turnfold_partial" not in json.dumps(model.calls("U2")[0].body)


async def test_a_stream_that_the_models_server_cuts_is_stored_as_far_as_it_came(
    client: Any, http: httpx.AsyncClient, model: ModelServer
) -> None:
    model.tell("", Streamed([{"content": "Half"}, {"content": " way"}], is_cut=True))

    stream = await client.chat.completions.create(model=MODEL, messages=[user("U1")], stream=True)
    with pytest.raises((httpx.HTTPError, openai.APIError)):
        async for _ in stream:
            pass

    assert await log_of(http) == [("user", "U1"), ("assistant", "Half way")]


async def test_an_error_of_the_model_passes_through_and_stores_nothing(
    client: Any, http: httpx.AsyncClient, model: ModelServer
) -> None:
    model.tell("", Fail(429, {"Retry-After": "7"}))

    with pytest.raises(openai.RateLimitError) as caught:
        await ask(client, [user("U1")])

    assert caught.value.response.headers["Retry-After"] == "7"
    assert (await http.get("/v1/sessions/chat")).status_code == 404


async def test_without_a_session_the_body_is_compacted_and_nothing_is_stored(
    address: str, http: httpx.AsyncClient, model: ModelServer
) -> None:
    model.tell("", Say("A9"))
    history = [message for n in range(1, 5) for message in (user(f"U{n}"), assistant(f"A{n}"))]
    body = {"model": MODEL, "messages": [*history, user("U9")], "metadata": {"kept": "x"}}

    answer = await http.post("/v1/chat/completions", json=body)

    assert [m["content"] for m in model.calls("U9")[0].body["messages"]] == ["U4", "A4", "U9"]
    assert model.calls("U9")[0].body["metadata"] == {"kept": "x"}
    assert answer.headers["X-Turnfold-Compacted"] == "true"
    assert answer.headers["X-Turnfold-Messages"] == "3/9"
    assert (await http.get("/v1/sessions")).json()["sessions"] == []


async def test_the_session_comes_from_the_header_before_the_address_before_the_metadata(
    http: httpx.AsyncClient, model: ModelServer
) -> None:
    body = {"model": MODEL, "messages": [user("hi")], "metadata": {"session_id": "of-metadata"}}

    await http.post("/v1/chat/completions", json=body)
    await http.post("/s/of-address/v1/chat/completions", json=body)
    await http.post("/s/other/v1/chat/completions", json=body, headers={"X-Session-Id": "of-header"})

    ids = {one["id"] for one in (await http.get("/v1/sessions")).json()["sessions"]}
    assert ids == {"of-metadata", "of-address", "of-header"}
    assert "metadata" not in model.calls("hi")[0].body


@pytest.mark.parametrize(
    ("body", "status", "param"),
    [
        (b"{", 400, None),
        (b"[]", 400, ""),
        (b'{"messages": [{"role": "nobody"}]}', 400, "messages[0].role"),
        (b'{"messages": []}', 400, "messages"),
        (
            b'{"messages": [{"role": "user", "content": "x"}], "metadata": {"session_id": 5}}',
            400,
            "metadata.session_id",
        ),
    ],
)
async def test_errors_have_the_shape_that_openais_clients_know(
    http: httpx.AsyncClient, body: bytes, status: int, param: str | None
) -> None:
    answer = await http.post("/v1/chat/completions", content=body, headers={"content-type": "application/json"})

    assert answer.status_code == status
    assert answer.json()["error"]["param"] == param
    assert answer.json()["error"]["type"] == "invalid_request_error"


async def test_responses_says_that_it_is_not_offered(http: httpx.AsyncClient) -> None:
    answer = await http.post("/v1/responses", json={"model": MODEL, "input": "hi"})

    assert answer.status_code == 404
    assert "not offered" in answer.json()["error"]["message"]


async def test_a_server_that_is_out_of_reach_is_a_bad_gateway() -> None:
    service = TurnfoldService(store=MemoryStore(), queue=MemoryQueue(), policy=Policy.default(), ttl_seconds=60)
    with served(create_app(Settings(upstream_base_url="http://127.0.0.1:9/v1"), service=service)) as url:
        async with httpx.AsyncClient(base_url=url) as http:
            answer = await http.post("/s/x/v1/chat/completions", json={"messages": [user("hi")]})
            stored = await http.get("/v1/sessions/x")

    assert (answer.status_code, stored.status_code) == (502, 404)
    assert answer.json()["error"]["type"] == "server_error"


async def test_turns_of_one_session_side_by_side_are_all_there_once(
    client: Any, http: httpx.AsyncClient, model: ModelServer
) -> None:
    await asyncio.gather(*(ask(client, [user(f"U{number}")]) for number in range(12)))

    told = await log_of(http)
    assert sorted(content for role, content in told if role == "user") == sorted(f"U{n}" for n in range(12))
    assert [role for role, _ in told] == ["user", "assistant"] * 12


async def test_a_call_that_is_made_twice_is_stored_once(
    client: Any, http: httpx.AsyncClient, model: ModelServer
) -> None:
    gate = Gate()
    model.tell("", Say("A1", gate=gate), Say("A1", gate=gate))
    both = [asyncio.create_task(ask(client, [user("once")])) for _ in range(2)]
    await asyncio.to_thread(wait_until, lambda: len(model.calls("once")) == 2, description="both calls are there")
    gate.open()
    await asyncio.gather(*both)

    assert await log_of(http) == [("user", "once"), ("assistant", "A1")]
