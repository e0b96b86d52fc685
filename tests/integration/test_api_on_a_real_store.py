from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest
from redis.asyncio import Redis

from tests.unit.api.chat import JSON, append, chat, do_jobs, problem
from turnfold.embedded import EmbeddedServer
from turnfold.jobs.memory_queue import MemoryQueue
from turnfold.policy import Policy
from turnfold.service import TurnfoldService
from turnfold.settings import Settings
from turnfold.wiring import build_store
from turnfold_api.app import create_app


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddedServer]:
    with EmbeddedServer() as running:
        yield running


@pytest.fixture
async def service(server: EmbeddedServer) -> AsyncIterator[TurnfoldService]:
    policy = Policy.parse({"strategy": "summarization", "target_count": 2, "threshold": 2, "min_source_tokens": 1})
    store = build_store(Settings(redis_url=server.redis_url))
    made = TurnfoldService(store=store, queue=MemoryQueue(), policy=policy, ttl_seconds=60)
    yield made
    await made.close()


@pytest.fixture
async def client(service: TurnfoldService) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(create_app(Settings(), service=service))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as made:
        yield made


async def test_a_conversation_goes_all_the_way_from_an_append_to_a_summary_and_away(
    client: httpx.AsyncClient, service: TurnfoldService
) -> None:
    job = (await append(client, "whole way", 12, headers={"If-Match": '"0"'}))["job"]
    before = (await client.get("/v1/sessions/whole%20way/context")).json()
    assert (before["messages"], before["pending_job"]) == (chat(12), job["id"])

    await do_jobs(service)

    after = (await client.get("/v1/sessions/whole%20way/context?wait_ms=5000")).json()
    assert after["messages"][0]["content"].startswith("[Summary]")
    assert (await client.get(f"/v1/jobs/{job['id']}")).json()["state"] == "succeeded"
    groups = (await client.get("/v1/sessions/whole%20way/groups")).json()["groups"]
    assert [group["kind"] for group in groups].count("summary") == 1
    assert (await client.get("/v1/sessions/whole%20way/messages")).json()["messages"] == chat(12)
    assert (await client.delete("/v1/sessions/whole%20way")).status_code == 204
    problem(await client.get("/v1/sessions/whole%20way"), 404, "not-found")
    problem(await client.get(f"/v1/jobs/{job['id']}"), 404, "not-found")


async def test_messages_come_back_exactly_as_they_were_appended(client: httpx.AsyncClient) -> None:
    message = (
        r'{"role":"user","content":"\ud800 \u0000 é","n":123456789012345678901234567890,"f":[1.0,-0.0],"id":"\udc00"}'
    )
    body = b'{"messages":[' + message.encode() + b"]}"

    for n in range(2):
        answer = await client.post("/v1/sessions/exact/messages", content=body, headers=JSON)
        assert answer.status_code == 201, (n, answer.text)

    read = (await client.get("/v1/sessions/exact/messages")).json()
    assert repr(read["messages"]) == repr([json.loads(message)] * 2)


async def test_requests_of_one_key_that_run_at_once_store_once(
    client: httpx.AsyncClient, service: TurnfoldService, server: EmbeddedServer
) -> None:
    # Two processes' worth of applications, so that no order within a process helps.
    other_store = build_store(Settings(redis_url=server.redis_url))
    other = TurnfoldService(store=other_store, queue=MemoryQueue(), policy=service.policy, ttl_seconds=60)
    transport = httpx.ASGITransport(create_app(Settings(), service=other))
    request: dict[str, Any] = {"json": {"messages": chat(3)}, "headers": {"Idempotency-Key": "k"}}
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as second:
        posts = [one.post("/v1/sessions/once/messages", **request) for _ in range(10) for one in (client, second)]
        answers = await asyncio.gather(*posts)
    await other.close()

    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1
    assert (await client.get("/v1/sessions/once")).json()["counts"]["all"]["messages"] == 3


async def test_lists_come_page_by_page(client: httpx.AsyncClient) -> None:
    names = [f"page {n} 🎈" for n in range(5)]
    for name in names:
        await append(client, name, 12)

    for url, field, name_field in [("/v1/sessions", "sessions", "id"), ("/v1/jobs", "jobs", "session")]:
        seen: list[str] = []
        cursor: str | None = ""
        while cursor is not None:
            page = (await client.get(url, params={"limit": 2, "cursor": cursor})).json()
            seen += [one[name_field] for one in page[field]]
            cursor = page["next"]
        assert [one for one in seen if one in names] == names[::-1]


async def test_a_store_that_has_gone_is_told_and_found_again() -> None:
    with EmbeddedServer() as own:
        store = build_store(Settings(redis_url=own.redis_url))
        service = TurnfoldService(store=store, queue=MemoryQueue(), policy=Policy.default(), ttl_seconds=60)
        transport = httpx.ASGITransport(create_app(Settings(), service=service))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            assert (await client.get("/readyz")).status_code == 200
            own.kill()
            own.wait()
            for url in ("/readyz", "/v1/sessions", "/v1/sessions/a/context"):
                answer = await client.get(url)
                problem(answer, 503, "unavailable")
                assert answer.headers["retry-after"]
            assert (await client.get("/livez")).status_code == 200
            own.start()
            assert (await client.get("/readyz")).status_code == 200
        await service.close()


async def test_readiness_names_what_operators_should_mend_in_the_store() -> None:
    with EmbeddedServer() as own:
        store = build_store(Settings(redis_url=own.redis_url))
        service = TurnfoldService(store=store, queue=MemoryQueue(), policy=Policy.default(), ttl_seconds=60)
        transport = httpx.ASGITransport(create_app(Settings(), service=service))
        server: Any = Redis.from_url(own.redis_url)
        async with server, httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            assert (await client.get("/readyz")).json() == {"status": "ready", "problems": []}
            await server.config_set("maxmemory-policy", "allkeys-lru")
            (problem_of_policy,) = (await client.get("/readyz")).json()["problems"]
            await server.config_set("maxmemory-policy", "noeviction")
            await server.config_set("maxmemory", 100_000)
            problems_when_full = (await client.get("/readyz")).json()["problems"]
        await service.close()

    assert "noeviction" in problem_of_policy
    assert any("maxmemory" in one for one in problems_when_full)
