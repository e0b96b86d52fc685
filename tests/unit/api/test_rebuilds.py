"""Asking for a summary to be made again, over HTTP."""

from __future__ import annotations

import httpx
import pytest

from tests.unit.api.chat import append, do_jobs, problem
from tests.unit.api.conftest import MakeClient
from turnfold.service import TurnfoldService

URL = "/v1/sessions/a/rebuilds"


@pytest.fixture
async def folded(client: httpx.AsyncClient, service: TurnfoldService) -> httpx.AsyncClient:
    await append(client, "a", 12)
    await do_jobs(service)
    return client


async def test_it_is_a_job_with_the_prompt_and_the_model_that_were_given(
    folded: httpx.AsyncClient, service: TurnfoldService
) -> None:
    answer = await folded.post(URL, json={"prompt": "Briefly.", "model": "large"})

    assert answer.status_code == 202
    job_id = answer.json()["id"]
    assert answer.headers["location"] == f"/v1/jobs/{job_id}"
    assert (answer.json()["state"], answer.json()["rebuild"]) == ("queued", True)
    job = await service.store.read_job(job_id)
    assert job is not None
    assert (job.with_prompt, job.with_model) == ("Briefly.", "large")


async def test_without_a_body_those_of_the_policy_are_used(folded: httpx.AsyncClient, service: TurnfoldService) -> None:
    job_id = (await folded.post(URL)).json()["id"]
    await do_jobs(service)

    assert (await folded.get(f"/v1/jobs/{job_id}")).json()["state"] == "succeeded"


async def test_a_session_that_waits_for_another_job_is_a_conflict(folded: httpx.AsyncClient) -> None:
    await folded.post("/v1/sessions/a/compactions")

    problem(await folded.post(URL), 409, "conflict")


@pytest.mark.parametrize("body", [{"prompt": ""}, {"model": 7}, {"prompt": "x" * 20_001}, {"tone": "dry"}])
async def test_a_wrong_field_is_named(folded: httpx.AsyncClient, body: dict[str, object]) -> None:
    told = problem(await folded.post(URL, json=body), 422, "invalid-input")

    assert told["errors"][0]["path"] in body


async def test_a_model_that_is_not_allowed_is_refused(make_client: MakeClient) -> None:
    client = make_client(allowed_models="small")
    await append(client, "a", 12)

    told = problem(await client.post(URL, json={"model": "large"}), 422, "invalid-input")

    assert told["errors"] == [{"path": "model", "message": "'large' is not allowed here; allowed: small"}]


async def test_a_session_that_is_not_there_and_a_key_that_may_only_read_are_refused(make_client: MakeClient) -> None:
    problem(await make_client().post(URL), 404, "not-found")
    problem(await make_client(keys="t:k:ro", key="k").post(URL), 403, "read-only-key")
