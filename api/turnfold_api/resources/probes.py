"""Probes; they need no key."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request, Response

from turnfold.errors import Unavailable
from turnfold_api import schemas
from turnfold_api.documented import problem_answer
from turnfold_api.json_response import ExactJSON
from turnfold_api.parts import parts_of

router = APIRouter(tags=["probes"])

PING_TIMEOUT_SECONDS = 2.0


@router.get("/livez", operation_id="getLiveness", responses={200: {"model": schemas.Health}})
async def livez() -> Response:
    """The process answers."""
    return ExactJSON({"status": "alive"})


@router.get(
    "/readyz", operation_id="getReadiness", responses={200: {"model": schemas.Readiness}, 503: problem_answer(503)}
)
async def readyz(request: Request) -> Response:
    """The session store answers too. `problems` says what its operators should mend, each with the mend."""
    try:
        async with asyncio.timeout(PING_TIMEOUT_SECONDS):
            health = await parts_of(request).base_service.store.health()
    except TimeoutError:
        raise Unavailable(f"the session store did not answer within {PING_TIMEOUT_SECONDS:g} s") from None
    if not health.reachable:
        raise Unavailable("; ".join(health.problems) or "the session store is out of reach")
    return ExactJSON({"status": "ready", "problems": list(health.problems)})
