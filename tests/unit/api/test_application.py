from __future__ import annotations

import httpx
import pytest
from pydantic import SecretStr

from turnfold.errors import BadInput
from turnfold.service import TurnfoldService
from turnfold.settings import Settings
from turnfold_api import app as module
from turnfold_api.app import create_app


async def test_the_application_makes_its_service_when_it_starts_and_closes_it(
    service: TurnfoldService, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[bool] = []

    def made(_: Settings) -> TurnfoldService:
        return service

    async def close() -> None:
        closed.append(True)

    monkeypatch.setattr(service, "close", close)
    monkeypatch.setattr(module, "build_service", made)
    app = create_app(Settings())
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
        assert (await client.get("/readyz")).status_code == 503
        async with app.router.lifespan_context(app):
            assert (await client.get("/readyz")).status_code == 200
            assert closed == []
    assert closed == [True]


def test_keys_that_cannot_be_read_make_no_application() -> None:
    with pytest.raises(BadInput, match=r"^TURNFOLD_API_KEYS"):
        create_app(Settings(api_keys=SecretStr("nonsense")))
