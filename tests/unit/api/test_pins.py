"""Pins over HTTP."""

from __future__ import annotations

import httpx

from tests.unit.api.chat import append, chat
from tests.unit.api.conftest import MakeClient
from turnfold.service import TurnfoldService

URL = "/v1/sessions/a/messages"


async def test_messages_can_be_pinned_as_they_are_appended(client: httpx.AsyncClient, service: TurnfoldService) -> None:
    answer = await client.post(URL, json={"messages": chat(2), "pin": True})

    assert answer.status_code == 201
    assert (await service.session("a")).pins == [1, 2]


async def test_a_pin_can_be_set_and_taken_back(client: httpx.AsyncClient, service: TurnfoldService) -> None:
    message = (await append(client, "a", 2))["ids"][1]

    assert (await client.put(f"{URL}/{message}/pin")).status_code == 204
    assert (await client.put(f"{URL}/{message}/pin")).status_code == 204
    assert (await service.session("a")).pins == [2]
    assert (await client.delete(f"{URL}/{message}/pin")).status_code == 204
    assert (await service.session("a")).pins == []


async def test_a_message_that_is_not_there_cannot_be_pinned(client: httpx.AsyncClient) -> None:
    await append(client, "a", 2)

    assert (await client.put(f"{URL}/nobody/pin")).status_code == 404
    assert (await client.put("/v1/sessions/none/messages/m/pin")).status_code == 404


async def test_a_wrong_pin_is_named(client: httpx.AsyncClient) -> None:
    answer = await client.post(URL, json={"messages": chat(2), "pin": [7]})

    assert answer.status_code in (400, 422)
    assert answer.json()["errors"][0]["path"] == "pin[0]"


async def test_a_read_only_key_may_not_pin(make_client: MakeClient) -> None:
    client = make_client(keys="t:k:ro", key="k")

    assert (await client.put(f"{URL}/m/pin")).status_code == 403
