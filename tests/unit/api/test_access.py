from __future__ import annotations

import hashlib

import httpx
import pytest

from tests.unit.api.chat import append, chat, problem
from tests.unit.api.conftest import MakeClient
from turnfold.errors import BadInput
from turnfold_api.api_keys import ApiKeys, Caller

HASHED = hashlib.sha256("clé".encode()).hexdigest()
KEYS = f"acme:one, acme:two:ro,beta:sha256:{HASHED}"


def test_keys_are_read_with_tenant_and_what_they_may_do() -> None:
    keys = ApiKeys.parse(f"{KEYS},gamma:sha256:{HASHED[::-1].upper()}:ro\n")

    assert keys.caller_of(b"one") == Caller("acme")
    assert keys.caller_of(b"two") == Caller("acme", may_write=False)
    assert keys.caller_of("clé".encode()) == Caller("beta")
    assert keys.caller_of(HASHED.encode()) is None
    assert len(keys.callers) == 4


@pytest.mark.parametrize("text", ["", "  \n"])
def test_no_keys_are_no_keys(text: str) -> None:
    assert not ApiKeys.parse(text)


MALFORMED = [",", "acme", "acme:", ":one", "acme::ro", "acme:one:rw", "a:b:c:d", "a:b,,c:d", "acme:o ne", "a\tb:one"]
BAD_HASHES = ["acme:sha256:abc", "acme:sha256:", "acme:sha256:ro", f"acme:sha256:{HASHED}:ro:x", "acme:one,beta:one"]


@pytest.mark.parametrize("text", [*MALFORMED, *BAD_HASHES])
def test_a_malformed_setting_is_named_and_no_key_is_told(text: str) -> None:
    with pytest.raises(BadInput, match=r"^TURNFOLD_API_KEYS: entry \d ") as told:
        ApiKeys.parse(text)
    assert "one" not in told.value.detail.replace("an earlier one", "")


@pytest.mark.parametrize("given", [None, "Bearer wrong", "Bearer", "Basic one", "one", "Bearer one two"])
async def test_without_a_valid_key_nothing_is_served(make_client: MakeClient, given: str | None) -> None:
    client = make_client(keys=KEYS)

    for method, url in [("GET", "/v1/sessions"), ("POST", "/v1/compact"), ("GET", "/v1/jobs?limit=x")]:
        answer = await client.request(method, url, headers={"Authorization": given} if given else {})
        problem(answer, 401, "unauthorized")
        assert answer.headers["www-authenticate"] == "Bearer"


async def test_a_valid_key_is_served_however_the_scheme_is_written(make_client: MakeClient) -> None:
    client = make_client(keys=KEYS)

    for given in ("Bearer one", "bearer one", "Bearer clé".encode()):
        headers = [(b"authorization", given if isinstance(given, bytes) else given.encode())]
        assert (await client.get("/v1/sessions", headers=headers)).status_code == 200


async def test_a_read_only_key_reads_and_compacts_but_writes_nothing(make_client: MakeClient) -> None:
    await append(make_client(keys=KEYS, key="one"), "a", 2)
    reader = make_client(keys=KEYS, key="two")

    for url in ("/v1/sessions", *(f"/v1/sessions/a{part}" for part in ("", "/messages", "/context", "/groups"))):
        assert (await reader.get(url)).status_code == 200
    policy = {"strategy": "truncation", "max_messages": 1}
    assert (await reader.post("/v1/compact", json={"messages": chat(1), "policy": policy})).status_code == 200
    for method, url in [
        ("POST", "/v1/sessions"),
        ("PATCH", "/v1/sessions/a"),
        ("DELETE", "/v1/sessions/a"),
        ("POST", "/v1/sessions/a/messages"),
        ("POST", "/v1/sessions/a/compactions"),
    ]:
        problem(await reader.request(method, url), 403, "read-only-key")


async def test_tenants_do_not_see_each_other(make_client: MakeClient) -> None:
    acme, beta = make_client(keys="acme:one,beta:two", key="one"), make_client(keys="acme:one,beta:two", key="two")
    job = (await append(acme, "a", 12))["job"]

    for part in ("", "/messages", "/context", "/groups"):
        problem(await beta.get(f"/v1/sessions/a{part}"), 404, "not-found")
    problem(await beta.delete("/v1/sessions/a"), 404, "not-found")
    problem(await beta.post("/v1/sessions/a/compactions"), 404, "not-found")
    problem(await beta.get(f"/v1/jobs/{job['id']}"), 404, "not-found")
    assert (await beta.get("/v1/sessions")).json() == {"sessions": [], "next": None}
    assert (await beta.get("/v1/jobs")).json() == {"jobs": [], "next": None}
    assert (await append(beta, "a", 1))["last"] == 1
    assert (await acme.get("/v1/sessions/a")).json()["counts"]["all"]["messages"] == 12


async def test_a_key_of_idempotency_is_a_tenants_own(make_client: MakeClient) -> None:
    keys, header = "acme:one,beta:two", {"Idempotency-Key": "k"}

    assert (await append(make_client(keys=keys, key="one"), "a", 1, headers=header))["last"] == 1
    assert (await append(make_client(keys=keys, key="two"), "a", 2, headers=header))["last"] == 2


@pytest.mark.parametrize("url", ["/livez", "/readyz", "/openapi.json"])
async def test_probes_and_the_document_need_no_key(make_client: MakeClient, url: str) -> None:
    assert (await make_client(keys=KEYS).get(url)).status_code == 200


async def test_without_keys_everybody_is_the_default_tenant(client: httpx.AsyncClient) -> None:
    answer = await client.get("/v1/sessions", headers={"Authorization": "Bearer anything"})

    assert answer.status_code == 200
