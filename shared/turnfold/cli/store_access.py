"""How commands reach the session store that is set."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from turnfold.errors import BadInput
from turnfold.jsonio import is_utf8
from turnfold.service import TurnfoldService
from turnfold.settings import Settings
from turnfold.wiring import build_service

T = TypeVar("T")


def with_service(work: Callable[[TurnfoldService], Awaitable[T]], *, tenant: str = "default") -> T:
    """Runs `work` on the service of the settings, and closes it.

    Raises:
        BadInput: no store is set, or the tenant is no text.
    """
    if not is_utf8(tenant):
        raise BadInput("--tenant", "must be valid UTF-8")

    async def opened() -> T:
        service = build_service(Settings())
        try:
            return await work(service.for_tenant(tenant))
        finally:
            await service.close()

    return asyncio.run(opened())
