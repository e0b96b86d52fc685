"""Keys that are made and revoked while the server runs."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.unit.api.chat import problem
from tests.unit.api.conftest import MakeClient
from turnfold.errors import Unavailable
from turnfold.operations.api_keys import make_key, revoke_key
from turnfold.service import TurnfoldService
from turnfold.sessions.memory_store import MemoryStore
from turnfold.settings import Settings
from turnfold_api import key_ring
from turnfold_api.app import create_app


@pytest.fixture(autouse=True)
def _always_fresh(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]  # a fixture
    monkeypatch.setattr(key_ring, "FRESH_SECONDS", 0.0)


async def test_a_key_that_was_made_is_needed_at_once_and_is_of_its_tenant(
    make_client: MakeClient, make_app: Any, store: MemoryStore
) -> None:
    app = make_app()
    anybody = make_client(app)
    assert (await anybody.get("/v1/sessions")).status_code == 200

    secret, _ = await make_key(store, "acme")

    problem(await anybody.get("/v1/sessions"), 401, "unauthorized")
    acme = make_client(app, key=secret)
    assert (await acme.post("/v1/sessions", json={"id": "a"})).status_code == 201
    assert (await acme.get("/v1/usage")).json()["tenant"] == "acme"


async def test_a_read_only_key_reads(make_client: MakeClient, make_app: Any, store: MemoryStore) -> None:
    secret, _ = await make_key(store, "acme", may_write=False)
    reader = make_client(make_app(), key=secret)
    assert (await reader.get("/v1/sessions")).status_code == 200
    problem(await reader.post("/v1/sessions", json={}), 403, "read-only-key")


async def test_a_revoked_key_opens_nothing_and_its_end_opens_nothing_either(
    make_client: MakeClient, make_app: Any, store: MemoryStore
) -> None:
    secret, key = await make_key(store, "acme")
    app = make_app()
    acme, anybody = make_client(app, key=secret), make_client(app)
    assert (await acme.get("/v1/sessions")).status_code == 200

    await revoke_key(store, key.id)

    problem(await acme.get("/v1/sessions"), 401, "unauthorized")
    problem(await anybody.get("/v1/sessions"), 401, "unauthorized")


async def test_keys_of_the_setting_hold_beside_them(make_client: MakeClient, make_app: Any, store: MemoryStore) -> None:
    secret, _ = await make_key(store, "acme")
    app = make_app(keys="one:k1")
    for key in (secret, "k1"):
        assert (await make_client(app, key=key).get("/v1/sessions")).status_code == 200


async def test_with_a_key_any_name_of_the_host_is_served(
    make_client: MakeClient, make_app: Any, store: MemoryStore
) -> None:
    app = make_app()
    secret, _ = await make_key(store, "acme")
    answer = await make_client(app, key=secret).get("/v1/sessions", headers={"Host": "turnfold.example"})
    assert answer.status_code == 200


async def test_a_server_that_others_can_reach_needs_a_key_whether_there_is_one_or_not(
    make_client: MakeClient, service: TurnfoldService
) -> None:
    client = make_client(create_app(Settings(), service=service, requires_key=True))
    problem(await client.get("/v1/sessions"), 401, "unauthorized")


async def test_where_the_keys_cannot_be_read_nobody_is_let_in_but_who_was_known(
    make_client: MakeClient, make_app: Any, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret, _ = await make_key(store, "acme")
    known, new = make_app(), make_app()
    assert (await make_client(known, key=secret).get("/v1/sessions")).status_code == 200

    async def fail() -> None:
        raise Unavailable

    monkeypatch.setattr(store, "api_keys", fail)

    assert (await make_client(known, key=secret).get("/v1/sessions")).status_code == 200
    problem(await make_client(known).get("/v1/sessions"), 401, "unauthorized")
    problem(await make_client(new).get("/v1/sessions"), 503, "unavailable")


async def test_the_store_is_not_asked_with_each_call(
    client: httpx.AsyncClient, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_ring, "FRESH_SECONDS", 60.0)
    asked, read = 0, store.api_keys

    async def counted() -> Any:
        nonlocal asked
        asked += 1
        return await read()

    monkeypatch.setattr(store, "api_keys", counted)
    for _ in range(5):
        await client.get("/v1/sessions")
    assert asked == 1
