from __future__ import annotations

import asyncio
import time

import httpx
import pytest

from tests.support.waiting import wait_until_async
from tests.unit.api.chat import append, chat, do_jobs, problem
from tests.unit.api.conftest import MakeApp, MakeClient
from turnfold.service import TurnfoldService
from turnfold.sessions.memory_store import MemoryStore
from turnfold_api.cursors import encode_cursor

CONTEXT = "/v1/sessions/a/context"
GROUPS = "/v1/sessions/a/groups"


async def test_the_context_is_what_the_model_gets_next(client: httpx.AsyncClient) -> None:
    await append(client, "a", 3)

    context = (await client.get(CONTEXT, params={"format": "chat"})).json()

    assert context["messages"] == chat(3)
    assert set(context) == {
        *("messages", "counts", "revision", "view_revision", "pending_job", "over_budget"),
        *("pending_tool_call_ids", "actions"),
    }
    assert set(context["counts"]) == {"messages", "groups", "turns", "tokens", "bytes"}


async def test_the_context_keeps_to_a_budget(client: httpx.AsyncClient) -> None:
    appended = await append(client, "a", 3)
    tokens = appended["counts"]["all"]["tokens"]

    within = (await client.get(CONTEXT, params={"budget_tokens": tokens - 1})).json()
    over = (await client.get(CONTEXT, params={"budget_tokens": 1})).json()

    assert (within["messages"], within["over_budget"]) == (chat(3)[1:], False)
    assert (len(over["messages"]), over["over_budget"]) == (1, True)


async def test_the_context_comes_in_the_format_that_is_asked_for(client: httpx.AsyncClient) -> None:
    said = [{"role": "system", "content": "Be brief."}, *chat(3)]
    await client.post("/v1/sessions/a/messages", json={"messages": said})

    plain = (await client.get(CONTEXT)).json()
    responses = (await client.get(CONTEXT, params={"format": "responses"})).json()
    anthropic = (await client.get(CONTEXT, params={"format": "anthropic"})).json()

    assert responses == plain | {"messages": [{"type": "message", **message} for message in said]}
    assert anthropic == plain | {"system": "Be brief.", "messages": chat(3)}


async def test_a_summary_that_leads_is_a_users_in_the_anthropic_format(
    client: httpx.AsyncClient, service: TurnfoldService
) -> None:
    await append(client, "a", 12)
    await do_jobs(service)

    context = (await client.get(CONTEXT, params={"format": "anthropic"})).json()

    first, *_, last = context["messages"]
    assert (first["role"], last["role"], context["system"]) == ("user", "user", None)
    assert first["content"][0]["text"].startswith("[Summary]")


async def test_a_call_that_waits_is_left_out_in_the_anthropic_format(client: httpx.AsyncClient) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    calling = {"role": "assistant", "content": None, "tool_calls": [call]}
    await client.post("/v1/sessions/a/messages", json={"messages": [*chat(1), calling]})

    context = (await client.get(CONTEXT, params={"format": "anthropic"})).json()

    assert context["messages"] == chat(1)


async def test_a_format_that_is_not_offered_is_refused_with_those_that_are(client: httpx.AsyncClient) -> None:
    await append(client, "a", 1)

    told = problem(await client.get(CONTEXT, params={"format": "xml"}), 422, "invalid-input")

    assert told["errors"][0]["path"] == "format"
    assert "one of chat, responses, anthropic" in told["detail"]


@pytest.mark.parametrize("query", ["budget_tokens=0", "budget_tokens=x", "wait_ms=-1", "wait_ms=soon"])
async def test_a_bad_number_is_refused_by_name(client: httpx.AsyncClient, query: str) -> None:
    await append(client, "a", 1)

    told = problem(await client.get(f"{CONTEXT}?{query}"), 422, "invalid-input")

    assert told["errors"][0]["path"] == query.partition("=")[0]


async def test_an_empty_number_counts_as_left_out(client: httpx.AsyncClient) -> None:
    await append(client, "a", 1)

    assert (await client.get(f"{CONTEXT}?format=&budget_tokens=&wait_ms=")).status_code == 200


async def test_without_a_wish_to_wait_the_pending_job_is_only_named(client: httpx.AsyncClient) -> None:
    job = (await append(client, "a", 12))["job"]

    context = (await client.get(CONTEXT)).json()

    assert (context["pending_job"], len(context["messages"])) == (job["id"], 12)


async def test_a_context_that_waits_has_the_summary(client: httpx.AsyncClient, service: TurnfoldService) -> None:
    await append(client, "a", 12)
    waiting = asyncio.create_task(client.get(CONTEXT, params={"wait_ms": 20_000}))
    await asyncio.sleep(0)  # it has begun

    await do_jobs(service)

    context = (await waiting).json()
    assert context["pending_job"] is None
    assert context["messages"][0]["content"].startswith("[Summary]")


async def test_a_wait_ends_when_its_time_is_up(client: httpx.AsyncClient) -> None:
    job = (await append(client, "a", 12))["job"]
    started = time.monotonic()

    context = (await client.get(CONTEXT, params={"wait_ms": 60})).json()

    assert 0.06 <= time.monotonic() - started < 2
    assert context["pending_job"] == job["id"]


async def test_nobody_waits_where_no_job_is_pending(client: httpx.AsyncClient) -> None:
    await append(client, "a", 1)
    started = time.monotonic()

    await client.get(CONTEXT, params={"wait_ms": 30_000})

    assert time.monotonic() - started < 5


async def test_a_server_that_is_to_end_lets_nobody_wait(
    make_app: MakeApp, make_client: MakeClient, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app()
    client = make_client(app)
    await append(client, "a", 12)
    looks: list[str] = []
    read_job = store.read_job

    async def seen(job_id: str) -> object:
        looks.append(job_id)
        return await read_job(job_id)

    monkeypatch.setattr(store, "read_job", seen)
    waiting = asyncio.create_task(client.get(CONTEXT, params={"wait_ms": 20_000}))

    async def has_looked() -> bool:
        return bool(looks)

    await wait_until_async(has_looked, description="the request waits")
    app.state.parts.closing.set()

    assert (await asyncio.wait_for(waiting, 5)).status_code == 200


async def test_groups_tell_what_became_of_them_by_positions_in_the_log(
    client: httpx.AsyncClient, service: TurnfoldService
) -> None:
    await append(client, "a", 12)
    await do_jobs(service)

    page = (await client.get(GROUPS)).json()

    summaries = [group for group in page["groups"] if group["kind"] == "summary"]
    folded = [group for group in page["groups"] if group["summarized_by"] == summaries[0]["id"]]
    assert summaries[0]["messages"] == []
    assert [group["id"] for group in folded] == summaries[0]["summary_of"]
    assert [group["messages"] for group in page["groups"] if group["kind"] != "summary"] == [[n] for n in range(1, 13)]
    assert page["next"] is None


@pytest.mark.parametrize("limit", [1, 3, 5, 13, 100])
async def test_groups_come_page_by_page_each_once(
    client: httpx.AsyncClient, service: TurnfoldService, limit: int
) -> None:
    await append(client, "a", 12)
    await do_jobs(service)
    whole = (await client.get(GROUPS)).json()["groups"]

    seen: list[object] = []
    cursor: str | None = ""
    while cursor is not None:
        page = (await client.get(GROUPS, params={"cursor": cursor, "limit": limit})).json()
        seen += page["groups"]
        cursor = page["next"]

    assert seen == whole


async def test_a_page_goes_on_where_a_group_is_gone(client: httpx.AsyncClient) -> None:
    await append(client, "a", 4)

    page = (await client.get(GROUPS, params={"cursor": encode_cursor(2, "was-here")})).json()

    assert [group["messages"] for group in page["groups"]] == [[3], [4]]
