"""Waiting for the job that a session has pending, for those who ask for it."""

from __future__ import annotations

import asyncio
import time

from fastapi import Request

from turnfold.service import TurnfoldService
from turnfold_api.parts import parts_of

FIRST_PAUSE_SECONDS = 0.02
LONGEST_PAUSE_SECONDS = 0.2


async def wait_for_pending_job(request: Request, service: TurnfoldService, session_id: str, wait_ms: int) -> None:
    """Returns when the job that is pending now has ended, after `wait_ms` at the latest; at once where none is.

    Ends sooner when the client has gone, or the server is about to.

    Raises:
        NotFound: there is no such session.
    """
    deadline = time.monotonic() + wait_ms / 1000
    job_id = (await service.session(session_id)).pending_job
    pause = FIRST_PAUSE_SECONDS
    while job_id and await _is_open(service, job_id) and not await request.is_disconnected():
        left = deadline - time.monotonic()
        if left <= 0 or await _is_closing(request, min(pause, left)):
            return
        pause = min(pause * 1.5, LONGEST_PAUSE_SECONDS)


async def _is_open(service: TurnfoldService, job_id: str) -> bool:
    job = await service.store.read_job(job_id)
    return job is not None and not job.state.is_final


async def _is_closing(request: Request, within_seconds: float) -> bool:
    """Whether the server begins to shut down within that time."""
    try:
        await asyncio.wait_for(parts_of(request).closing.wait(), within_seconds)
    except TimeoutError:
        return False
    return True
