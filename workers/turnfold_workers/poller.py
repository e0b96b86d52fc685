"""Looks for lost and due jobs every two seconds, so that a lost message costs seconds and recovery needs no beat."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable

from turnfold import telemetry

INTERVAL_SECONDS = 2.0
# Workers that were started together spread out.
JITTER = 0.2

log = telemetry.logger(__name__)


class Poller:
    """Calls `poll` again and again, whatever it raises, until it is stopped.

    Args:
        poll: what to call; how many jobs it found.
        interval_seconds: from the end of one call to the start of the next, give or take a fifth.
    """

    def __init__(self, poll: Callable[[], Awaitable[int]], *, interval_seconds: float = INTERVAL_SECONDS) -> None:
        self._poll = poll
        self._interval_seconds = interval_seconds
        self._stopped = asyncio.Event()

    async def run(self) -> None:
        while not self._stopped.is_set():
            await self._poll_once()
            await self._rest()

    def stop(self) -> None:
        """No call begins after this one; a running one goes on. From the loop's thread only."""
        self._stopped.set()

    async def _poll_once(self) -> None:
        try:
            await self._poll()
        except Exception as error:  # noqa: BLE001 - a poller that ends would leave lost jobs lost
            log.warning(telemetry.POLL_FAILED, error=type(error).__name__)

    async def _rest(self) -> None:
        seconds = self._interval_seconds * random.uniform(1 - JITTER, 1 + JITTER)
        try:
            await asyncio.wait_for(self._stopped.wait(), seconds)
        except TimeoutError:
            return
