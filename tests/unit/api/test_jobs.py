from __future__ import annotations

import httpx
import pytest

from tests.unit.api.chat import append, do_jobs, problem
from turnfold.operations import job_control
from turnfold.service import TurnfoldService
from turnfold.sessions.job import JobState


async def test_a_compaction_is_accepted_with_the_place_of_its_job(client: httpx.AsyncClient) -> None:
    await append(client, "a", 2)

    answer = await client.post("/v1/sessions/a/compactions")

    job = answer.json()
    assert (answer.status_code, answer.headers["location"]) == (202, f"/v1/jobs/{job['id']}")
    assert (job["state"], job["forced"], job["session"]) == ("queued", True, "a")
    assert (await client.get(answer.headers["location"])).json() == job


async def test_a_session_has_one_job_in_flight(client: httpx.AsyncClient) -> None:
    await append(client, "a", 2)
    first = await client.post("/v1/sessions/a/compactions", json={})

    assert (await client.post("/v1/sessions/a/compactions")).json()["id"] == first.json()["id"]


async def test_a_compaction_takes_no_fields_yet(client: httpx.AsyncClient) -> None:
    await append(client, "a", 2)

    answer = await client.post("/v1/sessions/a/compactions", json={"prompt": "x"})

    assert problem(answer, 422, "invalid-input")["errors"][0]["path"] == "prompt"


async def test_a_compaction_needs_a_session(client: httpx.AsyncClient) -> None:
    problem(await client.post("/v1/sessions/none/compactions"), 404, "not-found")


async def test_a_job_that_is_done_says_so(client: httpx.AsyncClient, service: TurnfoldService) -> None:
    job_id = (await append(client, "a", 12))["job"]["id"]

    await do_jobs(service)

    job = (await client.get(f"/v1/jobs/{job_id}")).json()
    assert (job["state"], job["tries"], job["error"]) == ("succeeded", 1, None)
    assert job["tokens"]["source"] > job["tokens"]["summary"] > 0


@pytest.mark.parametrize(
    "job_id", ["x", "007-", "999-00000000000000000000", "000-00000000000000000000", "٠٠٠-a", "00-a"]
)
async def test_an_id_that_no_job_has_is_not_found(client: httpx.AsyncClient, job_id: str) -> None:
    problem(await client.get(f"/v1/jobs/{job_id}"), 404, "not-found")


@pytest.mark.parametrize("looked_at_a_time", [1, 2, 200])
async def test_jobs_of_a_state_come_page_by_page(
    client: httpx.AsyncClient,
    service: TurnfoldService,
    monkeypatch: pytest.MonkeyPatch,
    looked_at_a_time: int,
) -> None:
    monkeypatch.setattr(job_control, "READ_AT_A_TIME", looked_at_a_time)
    monkeypatch.setattr(job_control, "MAX_LOOKED_AT", 2 * looked_at_a_time)
    for n in range(3):
        await append(client, f"done{n}", 12)
    await do_jobs(service)
    for n in range(4):
        await append(client, f"open{n}", 12)

    found: dict[str, list[str]] = {}
    for state in ("queued", "succeeded", "dead", ""):
        cursor: str | None = ""
        found[state] = []
        while cursor is not None:
            page = (await client.get("/v1/jobs", params={"state": state, "cursor": cursor, "limit": 2})).json()
            found[state] += [job["session"] for job in page["jobs"]]
            cursor = page["next"]

    assert sorted(found["queued"]) == [f"open{n}" for n in range(4)]
    assert sorted(found["succeeded"]) == [f"done{n}" for n in range(3)]
    assert found["dead"] == []
    assert sorted(found[""]) == sorted(found["queued"] + found["succeeded"])


async def test_a_state_that_there_is_not_is_refused_by_name(client: httpx.AsyncClient) -> None:
    assert problem(await client.get("/v1/jobs?state=lost"), 422, "invalid-input")["errors"][0]["path"] == "state"


async def test_a_dead_job_is_tried_again(client: httpx.AsyncClient, service: TurnfoldService) -> None:
    job_id = (await append(client, "a", 12))["job"]["id"]
    job = await service.store.claim(job_id, "w", 60_000)
    assert job is not None
    await service.store.finish(job, JobState.DEAD, reason="refused", error="400", plan_at_tokens=0)
    assert (await client.get("/v1/jobs?state=dead")).json()["jobs"][0]["error"] == "400"

    answer = await client.post(f"/v1/jobs/{job_id}/retry")

    assert (answer.status_code, answer.headers["location"]) == (202, f"/v1/jobs/{job_id}")
    assert (answer.json()["state"], answer.json()["tries"]) == ("queued", 0)
    await do_jobs(service)
    assert (await client.get(f"/v1/jobs/{job_id}")).json()["state"] == "succeeded"
    problem(await client.post(f"/v1/jobs/{job_id}/retry", json={}), 409, "conflict")


async def test_a_job_is_cancelled(client: httpx.AsyncClient, service: TurnfoldService) -> None:
    job_id = (await append(client, "a", 12))["job"]["id"]

    answer = await client.post(f"/v1/jobs/{job_id}/cancel")

    assert (answer.status_code, answer.json()["state"]) == (200, "cancelled")
    await do_jobs(service)
    assert (await client.get(f"/v1/jobs/{job_id}")).json()["state"] == "cancelled"
    assert (await client.get("/v1/sessions/a")).json()["pending_job"] is None


@pytest.mark.parametrize("action", ["retry", "cancel"])
async def test_what_is_done_to_a_job_takes_no_fields_and_needs_the_job(client: httpx.AsyncClient, action: str) -> None:
    problem(await client.post(f"/v1/jobs/none/{action}"), 404, "not-found")
    problem(await client.post(f"/v1/jobs/none/{action}", json={"now": True}), 422, "invalid-input")
