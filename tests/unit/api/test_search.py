"""Recall over HTTP: searching what was said, and going from a summary to its originals."""

from __future__ import annotations

import httpx
import pytest

from tests.unit.api.chat import append, do_jobs, problem
from tests.unit.api.conftest import MakeClient
from turnfold.service import TurnfoldService

URL = "/v1/sessions/a"
FACT = {"role": "user", "content": "The spare key is under the blue flower pot.", "name": "ana"}


@pytest.fixture
async def folded(client: httpx.AsyncClient, service: TurnfoldService) -> httpx.AsyncClient:
    await client.post(f"{URL}/messages", json={"messages": [FACT]})
    await append(client, "a", 12)
    await do_jobs(service)
    return client


async def test_messages_are_found_best_first_as_they_were_appended(folded: httpx.AsyncClient) -> None:
    answer = await folded.get(f"{URL}/search", params={"q": "where is the spare key?"})

    assert answer.status_code == 200
    best = answer.json()["results"][0]
    assert (best["message"], best["position"], best["group"], best["folded"]) == (FACT, 1, "g1", True)
    assert best["snippet"] == FACT["content"]
    scores = [one["score"] for one in answer.json()["results"]]
    assert scores == sorted(scores, reverse=True)


async def test_there_are_ten_results_at_most_or_as_many_as_are_asked_for(folded: httpx.AsyncClient) -> None:
    async def count(**parameters: str) -> int:
        return len((await folded.get(f"{URL}/search", params={"q": "order to Oslo", **parameters})).json()["results"])

    assert await count() == 10
    assert await count(limit="") == 10
    assert await count(limit="2") == 2
    assert await count(limit="1000") == 12


@pytest.mark.parametrize(
    "query", ["", "q=", "q=%20", "q=key&limit=0", "q=key&limit=1001", "q=key&limit=x", f"q={'x' * 2001}"]
)
async def test_a_wrong_query_is_named(folded: httpx.AsyncClient, query: str) -> None:
    answer = await folded.get(f"{URL}/search?{query}")

    assert problem(answer, 422, "invalid-input")["errors"][0]["path"] in ("q", "limit")


async def test_a_session_that_is_not_there_is_told(client: httpx.AsyncClient) -> None:
    assert (await client.get("/v1/sessions/none/search?q=key")).status_code == 404
    assert (await client.get("/v1/sessions/none/summaries/summary-1")).status_code == 404


async def test_a_key_sees_its_tenants_messages_only_and_may_search_if_it_may_only_read(make_client: MakeClient) -> None:
    app = make_client(keys="t:w,t:r:ro,u:u", key="w")
    await app.post(f"{URL}/messages", json={"messages": [FACT]})

    def asked(key: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {key}"}

    found = await app.get(f"{URL}/search?q=key", headers=asked("r"))
    assert [one["position"] for one in found.json()["results"]] == [1]
    assert (await app.get(f"{URL}/search?q=key", headers=asked("u"))).status_code == 404


async def test_a_summary_leads_to_its_originals_page_by_page(folded: httpx.AsyncClient) -> None:
    groups = (await folded.get(f"{URL}/groups")).json()["groups"]
    summary = next(group for group in groups if group["kind"] == "summary" and group["included"])

    first = (await folded.get(f"{URL}/summaries/{summary['id']}", params={"limit": 3})).json()

    assert first["id"] == summary["id"]
    assert first["summary_of"] == summary["summary_of"]
    assert first["text"].startswith("[Summary]")
    told = first["provenance"]
    assert (told["model"], told["signature"], first["degraded"]) == ("extractive", "unchecked", False)
    assert len(told["sources_digest"]) == 64
    assert first["messages"][0] == FACT
    assert (first["positions"][:3], first["next"]) == ([1, 2, 3], 3)
    rest = (await folded.get(f"{URL}/summaries/{summary['id']}", params={"after": 3})).json()
    assert len(rest["messages"]) == len(first["positions"]) - 3
    assert rest["next"] is None
