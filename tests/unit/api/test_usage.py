"""The ledger over HTTP."""

from __future__ import annotations

from typing import Any

import httpx
from pydantic import SecretStr

from tests.unit.api.chat import append, do_jobs
from tests.unit.api.conftest import MakeClient
from turnfold.service import TurnfoldService
from turnfold.sessions.ledger import Spent
from turnfold.settings import Settings
from turnfold_api.app import create_app

PRICED = Settings(api_keys=SecretStr(""), context_input_price=1_000_000.0)


async def test_the_ledger_tells_what_was_spent_and_what_was_saved(
    make_client: MakeClient, service: TurnfoldService
) -> None:
    client = make_client(create_app(PRICED, service=service))
    await append(client, "a", 12)
    before = (await client.get("/v1/sessions/a/context")).json()["counts"]["tokens"]
    await do_jobs(service)
    key, head = service.key("a"), await service.session("a")
    spent = Spent(prompt_tokens=900, completion_tokens=90, cost=0.25)
    await service.store.keep_reply(key, head.incarnation, "digest", b"", spent=spent)
    after = (await client.get("/v1/sessions/a/context")).json()["counts"]["tokens"]

    answer = await client.get("/v1/usage")

    usage: dict[str, Any] = answer.json()
    assert answer.status_code == 200
    assert usage["tenant"] == "default"
    assert usage["spent"] == {
        "summaries": 1, "prompt_tokens": 900, "completion_tokens": 90, "tokens": 990, "cost": 0.25,
    }  # fmt: skip
    saved = before - after
    assert usage["saved"] == {"contexts": 2, "tokens": saved, "cost": float(saved), "hidden_tokens": 0}


async def test_a_tenant_sees_its_own_ledger(make_client: MakeClient, make_app: Any) -> None:
    app = make_app(keys="one:k1,two:k2:ro")
    one, two = make_client(app, key="k1"), make_client(app, key="k2")
    await append(one, "a", 2)
    await one.get("/v1/sessions/a/context")

    assert (await one.get("/v1/usage")).json()["saved"]["contexts"] == 1
    told = (await two.get("/v1/usage")).json()
    assert (told["tenant"], told["saved"]["contexts"]) == ("two", 0)


async def test_a_tenant_that_did_nothing_has_a_ledger_of_zeros(client: httpx.AsyncClient) -> None:
    usage = (await client.get("/v1/usage")).json()
    numbers = [*usage["spent"].values(), *usage["saved"].values()]
    assert set(numbers) == {0}
