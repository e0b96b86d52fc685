"""Sweeps over HTTP."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.unit.api.chat import append, chat, problem
from tests.unit.api.conftest import MakeClient

QUIET: dict[str, Any] = {"strategy": "truncation", "max_messages": 100}


async def due_session(client: httpx.AsyncClient, name: str) -> None:
    """A session in which a summary is due since its policy was changed."""
    await client.post("/v1/sessions", json={"id": name, "policy": QUIET})
    await append(client, name, 12)
    await client.patch(f"/v1/sessions/{name}", json={"policy": None})


async def test_a_sweep_enqueues_what_is_due(client: httpx.AsyncClient) -> None:
    await due_session(client, "a")
    await due_session(client, "b")

    answer = await client.post("/v1/sweeps")

    report = answer.json()
    assert (answer.status_code, report["due"], report["enqueued"], report["estimated_cost"]) == (202, 2, 2, 0)
    assert report["estimated_tokens"] > 1000
    jobs = (await client.get("/v1/jobs")).json()["jobs"]
    assert sorted((job["session"], job["state"], job["queue"]) for job in jobs) == [
        ("a", "queued", "sweep"),
        ("b", "queued", "sweep"),
    ]
    assert (await client.post("/v1/sweeps", json={})).json()["due"] == 0


async def test_a_dry_run_enqueues_nothing(client: httpx.AsyncClient) -> None:
    await due_session(client, "a")

    answer = await client.post("/v1/sweeps", json={"dry_run": True, "idle_seconds": 0, "limit": 1})

    assert (answer.status_code, answer.json()["due"], answer.json()["enqueued"]) == (200, 1, 0)
    assert (await client.get("/v1/jobs")).json()["jobs"] == []


async def test_a_sweep_can_leave_active_sessions_alone(client: httpx.AsyncClient) -> None:
    await due_session(client, "a")
    assert (await client.post("/v1/sweeps", json={"idle_seconds": 600})).json()["due"] == 0
    assert (await client.post("/v1/sweeps", json={"idle_seconds": 0.0})).json()["enqueued"] == 1


async def test_a_tenant_sweeps_its_own_sessions(make_client: MakeClient, make_app: Any) -> None:
    app = make_app(keys="one:k1,two:k2,one:k3:ro")
    one, two, reader = (make_client(app, key=key) for key in ("k1", "k2", "k3"))
    await due_session(one, "a")

    assert (await two.post("/v1/sweeps")).json()["due"] == 0
    problem(await reader.post("/v1/sweeps"), 403, "read-only-key")
    assert (await one.post("/v1/sweeps")).json()["enqueued"] == 1


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"idle_seconds": -1}, "idle_seconds"),
        ({"idle_seconds": "10m"}, "idle_seconds"),
        ({"limit": 0}, "limit"),
        ({"limit": 10_001}, "limit"),
        ({"dry_run": 1}, "dry_run"),
        ({"tenant": "x"}, "tenant"),
    ],
)
async def test_a_bad_sweep_names_the_field(client: httpx.AsyncClient, body: dict[str, Any], path: str) -> None:
    await client.post("/v1/sessions/a/messages", json={"messages": chat(1)})
    answer = await client.post("/v1/sweeps", json=body)
    assert problem(answer, 422, "invalid-input")["errors"][0]["path"] == path
