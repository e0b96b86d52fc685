"""`GET /metrics`: numbers with names and help that tell of nobody; a store that is away costs no scrape."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.unit.api.conftest import MakeClient
from turnfold.errors import Unavailable
from turnfold.metrics import names
from turnfold.metrics.tally import Tally
from turnfold.sessions.fleet import WorkerState
from turnfold.sessions.memory_store import MemoryStore
from turnfold_api.resources import metrics

SAID = {"messages": [{"role": "user", "content": "the words of a conversation"}]}


async def scraped(client: httpx.AsyncClient) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    answer = await client.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain")
    families = list(text_string_to_metric_families(answer.text))
    return {(s.name, tuple(sorted(s.labels.items()))): s.value for family in families for s in family.samples}


def names_of(samples: Iterable[tuple[str, object]]) -> set[str]:
    return {name for name, _ in samples}


async def test_no_key_is_needed_and_all_that_is_declared_is_there(make_client: MakeClient, store: MemoryStore) -> None:
    tally = Tally()
    for metric in names.ALL:
        if metric.kind == "counter" and metric.scope == "fleet":
            tally.count(metric, 1, **dict.fromkeys(metric.labels, "x"))
    await store.add_counts(tally.take())
    client = make_client(keys="acme:secret-key")
    await client.get("/livez")

    found = names_of(await scraped(client))

    for metric in names.ALL:
        name = f"turnfold_{metric.name}"
        assert {name} <= found or {f"{name}_bucket", f"{name}_sum", f"{name}_count"} <= found, name
    declared = {f"turnfold_{metric.name}" for metric in names.ALL}
    assert all(any(name.startswith(one) for one in declared) for name in found)


async def test_what_workers_counted_is_shown_histograms_adding_up(make_client: MakeClient, store: MemoryStore) -> None:
    tally = Tally()
    for seconds in (0.05, 0.3, 0.4, 9000.0):
        tally.observe(names.JOB_SECONDS, seconds)
    tally.count(names.JOBS_ENDED, 3, outcome="dead")
    await store.add_counts(tally.take())
    await store.note_worker(
        WorkerState(name="w", seen_at_ms=await store.now_ms(), started_at_ms=1, in_flight=2, version="1")
    )
    seen = await scraped(make_client())
    assert seen["turnfold_jobs_ended_total", (("outcome", "dead"),)] == 3
    reached = {le: seen["turnfold_job_seconds_bucket", (("le", le),)] for le in ("0.1", "0.25", "0.5", "600", "+Inf")}
    assert list(reached.values()) == [1, 1, 3, 3, 4]
    assert seen["turnfold_job_seconds_count", ()] == 4
    assert seen["turnfold_job_seconds_sum", ()] == pytest.approx(9000.75)
    assert (seen["turnfold_workers", ()], seen["turnfold_jobs_in_flight", ()]) == (1, 2)
    assert seen["turnfold_store_up", ()] == 1


async def test_requests_are_counted_by_route_and_no_id_makes_a_number_of_its_own(make_client: MakeClient) -> None:
    client = make_client()
    for session in ("user-4711", "user-4712"):
        await client.post(f"/v1/sessions/{session}/messages", json=SAID)
        await client.get(f"/v1/sessions/{session}/context")
        await client.get(f"/nowhere/{session}")
    await client.request("BREW", "/livez")

    seen = await scraped(client)

    route = "/v1/sessions/{session_id}/messages"
    labels = (("method", "POST"), ("route", route), ("status", "201"))
    assert seen["turnfold_http_requests_total", labels] == 2
    assert seen["turnfold_http_request_seconds_count", (("route", route),)] == 2
    assert seen["turnfold_http_requests_total", (("method", "any"), ("route", "none"), ("status", "404"))] == 2
    text = (await client.get("/metrics")).text
    for secret in ("4711", "nowhere", "words of a conversation", "BREW"):
        assert secret not in text


async def test_without_a_store_the_process_still_tells_its_own(
    make_client: MakeClient, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away() -> dict[str, float]:
        raise Unavailable

    async def hangs() -> dict[str, float]:
        await asyncio.sleep(60)
        return {}

    monkeypatch.setattr(metrics, "STORE_TIMEOUT_SECONDS", 0.05)
    client = make_client()
    for broken in (away, hangs):
        monkeypatch.setattr(store, "counts", broken)
        await client.get("/livez")
        seen = await scraped(client)
        assert seen["turnfold_store_up", ()] == 0
        assert "turnfold_http_requests_total" in names_of(seen)
        assert "turnfold_jobs_waiting" not in names_of(seen)
