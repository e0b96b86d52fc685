"""Erasing a message and taking a summary back, over HTTP."""

from __future__ import annotations

import httpx

from tests.unit.api.chat import append, chat, do_jobs, problem
from turnfold.service import TurnfoldService

URL = "/v1/sessions/a"


async def test_a_message_is_erased_and_the_revision_moves(client: httpx.AsyncClient) -> None:
    ids = (await append(client, "a", 3))["ids"]

    answer = await client.delete(f"{URL}/messages/{ids[1]}")

    assert (answer.status_code, answer.content, answer.headers["etag"]) == (204, b"", '"2"')
    listed = (await client.get(f"{URL}/messages")).json()
    assert (listed["ids"], listed["positions"]) == ([ids[0], ids[2]], [1, 3])
    assert (await client.get(URL)).json()["counts"]["all"]["messages"] == 2


async def test_the_summaries_that_covered_it_go_and_are_made_again(
    client: httpx.AsyncClient, service: TurnfoldService
) -> None:
    ids = (await append(client, "a", 12))["ids"]
    await do_jobs(service)
    before = await summary_ids(client)

    assert (await client.delete(f"{URL}/messages/{ids[0]}")).status_code == 204

    assert len(before) == 1
    assert await summary_ids(client) == []
    assert (await client.get(URL)).json()["pending_job"]
    await do_jobs(service)
    after = await summary_ids(client)
    assert len(after) == 1
    assert after != before


async def test_an_id_may_hold_a_slash(client: httpx.AsyncClient) -> None:
    messages = [{"role": "user", "content": "x", "id": "run/7"}, *chat(1)]
    await client.post(f"{URL}/messages", json={"messages": messages})

    assert (await client.put(f"{URL}/messages/run%2F7/pin")).status_code == 204
    assert (await client.delete(f"{URL}/messages/run%2F7")).status_code == 204
    assert (await client.get(f"{URL}/messages")).json()["positions"] == [2]


async def test_only_what_is_there_and_as_it_was_seen_is_erased(client: httpx.AsyncClient) -> None:
    ids = (await append(client, "a", 2))["ids"]

    problem(await client.delete(f"{URL}/messages/none"), 404, "not-found")
    problem(await client.delete("/v1/sessions/none/messages/x"), 404, "not-found")
    stale = await client.delete(f"{URL}/messages/{ids[0]}", headers={"If-Match": '"7"'})
    problem(stale, 412, "revision-mismatch")
    right = await client.delete(f"{URL}/messages/{ids[0]}", headers={"If-Match": '"1"'})
    assert right.status_code == 204


async def test_a_summary_is_taken_back(client: httpx.AsyncClient, service: TurnfoldService) -> None:
    await append(client, "a", 12)
    await do_jobs(service)
    (summary,) = await summary_ids(client)
    before = (await client.get(URL)).json()

    answer = await client.delete(f"{URL}/summaries/{summary}")

    after = (await client.get(URL)).json()
    assert (answer.status_code, answer.content) == (204, b"")
    assert (await client.get(f"{URL}/context")).json()["messages"] == chat(12)
    assert (after["revision"], after["pending_job"]) == (before["revision"], None)
    assert after["view_revision"] > before["view_revision"]


async def test_a_summary_under_another_one_is_not_taken_back(
    client: httpx.AsyncClient, service: TurnfoldService
) -> None:
    await append(client, "a", 12)
    await do_jobs(service)
    (first,) = await summary_ids(client)
    await append(client, "a", 12)
    await do_jobs(service)

    problem(await client.delete(f"{URL}/summaries/{first}"), 409, "conflict")
    problem(await client.delete(f"{URL}/summaries/none"), 404, "not-found")
    problem(await client.delete("/v1/sessions/none/summaries/x"), 404, "not-found")


async def summary_ids(client: httpx.AsyncClient) -> list[str]:
    groups = (await client.get(f"{URL}/groups")).json()["groups"]
    return [group["id"] for group in groups if group["kind"] == "summary" and group["included"]]
