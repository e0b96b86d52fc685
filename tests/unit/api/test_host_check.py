"""Without API keys a page of another origin can't reach the server by a name of its own."""

from __future__ import annotations

import httpx
import pytest

from tests.unit.api.chat import problem
from tests.unit.api.conftest import MakeApp, MakeClient
from turnfold_api.host_check import is_of_this_machine, name_in

OURS = [
    "localhost",
    "localhost:8400",
    "127.0.0.1:8400",
    "127.8.0.1",
    "[::1]:8400",
    "[::1]",
    "LOCALHOST.",
    "a.localhost:1",
]
OTHERS = ["", "evil.example", "evil.example:8400", "127.0.0.1.evil.example", "10.0.0.1", "localhost.evil.example"]


@pytest.mark.parametrize("host", OURS)
def test_names_of_this_machine(host: str) -> None:
    assert is_of_this_machine(name_in(host))


@pytest.mark.parametrize("host", OTHERS)
def test_names_of_others(host: str) -> None:
    assert not is_of_this_machine(name_in(host))


async def test_a_request_for_another_host_is_refused(client: httpx.AsyncClient) -> None:
    answer = await client.get("/v1/sessions", headers={"Host": "evil.example"})

    problem(answer, 421, "misdirected-request")
    assert "TURNFOLD_API_KEYS" in answer.json()["detail"]


async def test_with_keys_any_name_will_do(make_client: MakeClient) -> None:
    client = make_client(keys="t:key")

    answer = await client.get("/livez", headers={"Host": "turnfold.example"})

    assert answer.status_code == 200


@pytest.mark.parametrize("host", ["turnfold.example", "TURNFOLD.example.:8400", "two.example", "[fd00::1]:80"])
async def test_hosts_that_are_allowed_are_served(make_client: MakeClient, host: str) -> None:
    client = make_client(allowed_hosts="turnfold.example, two.example,[fd00::1]")

    assert (await client.get("/livez", headers={"Host": host})).status_code == 200
    problem(await client.get("/livez", headers={"Host": "three.example"}), 421, "misdirected-request")


async def test_the_name_that_is_listened_on_is_served(make_app: MakeApp, make_client: MakeClient) -> None:
    client = make_client(make_app(host="my-machine"))

    assert (await client.get("/livez", headers={"Host": "my-machine:8400"})).status_code == 200


async def test_a_refusal_names_the_setting_that_allows_the_host(client: httpx.AsyncClient) -> None:
    answer = await client.get("/livez", headers={"Host": "evil.example"})

    assert "TURNFOLD_ALLOWED_HOSTS" in problem(answer, 421, "misdirected-request")["detail"]
