from __future__ import annotations

from datetime import datetime
from typing import Any

import httpx
import pytest

from tests.unit.api.chat import JSON, append, do_jobs, problem
from tests.unit.api.conftest import MakeClient
from turnfold.service import TurnfoldService

POLICY = {"strategy": "sliding_window", "keep_last_turns": 3}


async def test_a_new_session_is_answered_whole_with_its_place_and_its_revision(client: httpx.AsyncClient) -> None:
    body = {"id": "a b", "policy": POLICY, "metadata": {"plan": "pro"}, "ttl_seconds": 60, "service_session_id": "r1"}

    answer = await client.post("/v1/sessions", json=body)

    assert answer.status_code == 201
    assert (answer.headers["location"], answer.headers["etag"]) == ("/v1/sessions/a%20b", '"0"')
    session = answer.json()
    none = {"messages": 0, "groups": 0, "turns": 0, "tokens": 0, "bytes": 0}
    times = [datetime.fromisoformat(session.pop(name)) for name in ("created_at", "last_active_at", "expires_at")]
    assert times[0].utcoffset() is not None
    assert (times[2] - times[1]).total_seconds() == 60
    assert session == {
        "id": "a b",
        "revision": 0,
        "view_revision": 0,
        "counts": {"included": none, "all": none},
        "policy": POLICY,
        "metadata": {"plan": "pro"},
        "service_session_id": "r1",
        "pending_job": None,
    }
    assert (await client.get(answer.headers["location"])).json()["policy"] == POLICY


async def test_a_session_without_an_id_or_a_body_is_given_an_id(client: httpx.AsyncClient) -> None:
    session = (await client.post("/v1/sessions")).json()

    assert (await client.get(f"/v1/sessions/{session['id']}")).json() == session
    assert session["policy"] is None


async def test_an_id_is_taken_once(client: httpx.AsyncClient) -> None:
    await client.post("/v1/sessions", json={"id": "a"})

    problem(await client.post("/v1/sessions", json={"id": "a"}), 409, "conflict")


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"colour": "red"}, "colour"),
        ({"id": ""}, "id"),
        ({"id": "a/b"}, "id"),
        ({"id": 7}, "id"),
        ({"metadata": []}, "metadata"),
        ({"metadata": {"n": 2**70}}, "metadata"),
        ({"metadata": {"text": "x" * 70_000}}, "metadata"),
        ({"ttl_seconds": 0}, "ttl_seconds"),
        ({"ttl_seconds": True}, "ttl_seconds"),
        ({"ttl_seconds": 10**12}, "ttl_seconds"),
        ({"policy": {"strategy": "sliding_window", "keep": 1}}, "policy.keep"),
        ({"policy": {"strategy": "pipeline", "strategies": [{"strategy": "magic"}]}}, "policy.strategies[0].strategy"),
        ({"policy": {"strategy": "truncation", "max_tokens": 2**70}}, "policy.max_tokens"),
        ({"policy": {"strategy": "summarization", "prompt": "x" * 70_000}}, "policy"),
        ({"service_session_id": ""}, "service_session_id"),
        ([], ""),
    ],
)
async def test_a_field_that_is_wrong_is_named(client: httpx.AsyncClient, body: Any, path: str) -> None:
    answer = await client.post("/v1/sessions", json=body)

    slug = "invalid-policy" if path.startswith("policy.") else "invalid-input"
    assert [error["path"] for error in problem(answer, 422, slug)["errors"]] == [path]


async def test_all_wrong_fields_are_named_at_once(client: httpx.AsyncClient) -> None:
    answer = await client.post("/v1/sessions", json={"id": 1, "ttl_seconds": "x", "colour": 1})

    assert {error["path"] for error in answer.json()["errors"]} == {"id", "ttl_seconds", "colour"}


async def test_text_that_is_no_unicode_is_refused_where_it_would_be_a_setting(client: httpx.AsyncClient) -> None:
    for field in ("id", "service_session_id"):
        answer = await client.post("/v1/sessions", content=b'{"%s": "\\ud800"}' % field.encode(), headers=JSON)
        assert [error["path"] for error in problem(answer, 422, "invalid-input")["errors"]] == [field]
    answer = await client.post("/v1/sessions", content=b'{"metadata": {"a": "\\ud800"}}', headers=JSON)
    problem(answer, 422, "invalid-input")
    policy = b'{"strategy": "summarization", "prompt": "\\ud800"}'
    answer = await client.post("/v1/sessions", content=b'{"policy": %s}' % policy, headers=JSON)
    assert [error["path"] for error in problem(answer, 422, "invalid-policy")["errors"]] == ["policy.prompt"]


async def test_sessions_are_listed_by_last_activity_page_by_page(client: httpx.AsyncClient) -> None:
    names = [f"s{n}" for n in range(5)]
    for name in names:
        await append(client, name, 1)

    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = (await client.get("/v1/sessions", params={"cursor": cursor, "limit": 2})).json()
        assert len(page["sessions"]) <= 2
        seen += [session["id"] for session in page["sessions"]]
        cursor = page["next"]

    assert sorted(seen) == names
    whole = (await client.get("/v1/sessions?cursor=&limit=")).json()
    assert [session["id"] for session in whole["sessions"]] == seen
    assert whole["next"] is None


async def test_a_listed_session_is_as_it_is_shown_alone(client: httpx.AsyncClient) -> None:
    await append(client, "a", 2)

    listed = (await client.get("/v1/sessions")).json()["sessions"]

    assert listed == [(await client.get("/v1/sessions/a")).json()]


async def test_a_change_moves_the_revision_and_leaves_the_rest(client: httpx.AsyncClient) -> None:
    await client.post("/v1/sessions", json={"id": "a", "metadata": {"k": 1}, "policy": POLICY})

    answer = await client.patch("/v1/sessions/a", json={"ttl_seconds": 5}, headers={"If-Match": '"0"'})

    assert (answer.status_code, answer.headers["etag"]) == (200, '"1"')
    session = answer.json()
    assert (session["metadata"], session["policy"], session["revision"]) == ({"k": 1}, POLICY, 1)


async def test_null_takes_a_setting_back_to_its_default(client: httpx.AsyncClient) -> None:
    await client.post("/v1/sessions", json={"id": "a", "metadata": {"k": 1}, "policy": POLICY, "ttl_seconds": 5})

    answer = await client.patch("/v1/sessions/a", json={"policy": None, "metadata": None, "ttl_seconds": None})

    session = answer.json()
    assert (session["policy"], session["metadata"]) == (None, {})
    lifetime = datetime.fromisoformat(session["expires_at"]) - datetime.fromisoformat(session["last_active_at"])
    assert lifetime.total_seconds() == 3600


async def test_a_change_of_nothing_moves_nothing(client: httpx.AsyncClient) -> None:
    await client.post("/v1/sessions", json={"id": "a"})

    assert (await client.patch("/v1/sessions/a", json={})).json()["revision"] == 0
    problem(await client.patch("/v1/sessions/a", json={}, headers={"If-Match": '"3"'}), 412, "revision-mismatch")


@pytest.mark.parametrize("tag", ['"7"', '"abc"', 'W/"0"', "7"])
@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
async def test_another_revision_refuses(client: httpx.AsyncClient, method: str, tag: str) -> None:
    await client.post("/v1/sessions", json={"id": "a"})
    body: dict[str, Any] = {"json": {"ttl_seconds": 5}} if method == "PATCH" else {}

    answer = await client.request(method, "/v1/sessions/a", headers={"If-Match": tag}, **body)

    problem(answer, 412, "revision-mismatch")
    assert (await client.get("/v1/sessions/a")).json()["revision"] == 0


async def test_any_revision_will_do_as_long_as_there_is_a_session(client: httpx.AsyncClient) -> None:
    any_revision = {"If-Match": "*"}
    await client.post("/v1/sessions", json={"id": "a"})

    assert (await client.patch("/v1/sessions/a", json={"ttl_seconds": 5}, headers=any_revision)).status_code == 200
    assert (await client.delete("/v1/sessions/a", headers=any_revision)).status_code == 204
    problem(await client.delete("/v1/sessions/a", headers=any_revision), 412, "revision-mismatch")


async def test_several_entity_tags_are_refused_by_name(client: httpx.AsyncClient) -> None:
    await client.post("/v1/sessions", json={"id": "a"})

    answer = await client.delete("/v1/sessions/a", headers={"If-Match": '"0", "1"'})

    assert problem(answer, 422, "invalid-input")["errors"][0]["path"] == "If-Match"


async def test_an_erased_session_is_gone_with_its_jobs(client: httpx.AsyncClient) -> None:
    job = (await append(client, "a", 12))["job"]

    assert (await client.delete("/v1/sessions/a")).status_code == 204

    problem(await client.get("/v1/sessions/a"), 404, "not-found")
    problem(await client.get(f"/v1/jobs/{job['id']}"), 404, "not-found")
    problem(await client.delete("/v1/sessions/a"), 404, "not-found")


async def test_a_summary_moves_the_view_alone(client: httpx.AsyncClient, service: TurnfoldService) -> None:
    await append(client, "a", 12)
    before = (await client.get("/v1/sessions/a")).json()

    await do_jobs(service)

    after = (await client.get("/v1/sessions/a")).json()
    assert after["revision"] == before["revision"]
    assert after["view_revision"] > before["view_revision"]
    assert (before["pending_job"] is None, after["pending_job"]) == (False, None)
    assert after["counts"]["included"]["tokens"] < before["counts"]["included"]["tokens"]
    assert after["counts"]["all"] == before["counts"]["all"]


@pytest.mark.parametrize("allowed", ["", "small", "large"])
async def test_a_policy_may_name_the_models_that_are_allowed(make_client: MakeClient, allowed: str) -> None:
    client = make_client(allowed_models=allowed)
    body = {"id": "a", "policy": {"strategy": "summarization", "model": "large"}}

    made = await client.post("/v1/sessions", json=body)
    await client.post("/v1/sessions", json={"id": "b"})
    changed = await client.patch("/v1/sessions/b", json={"policy": body["policy"]})

    for answer, status in ((made, 201), (changed, 200)):
        if allowed != "small":
            assert answer.status_code == status
            continue
        told = problem(answer, 422, "invalid-policy")
        assert told["errors"][0]["path"] == "policy.model"
