"""A worker promises that no job is lost: it does not start on a store that throws jobs away."""

from __future__ import annotations

import asyncio

from turnfold.errors import BadInput
from turnfold.sessions.store_health import StoreHealth
from turnfold.settings import Settings
from turnfold.wiring import build_store

KEEPS = "noeviction"


def check_store_keeps(settings: Settings) -> None:
    """A store that is out of reach just now, or does not tell, is believed: workers wait for it.

    Raises:
        BadInput: it drops what it was given when its memory is full.
    """
    health = asyncio.run(_health(settings))
    policy = str(health.details.get("maxmemory_policy", KEEPS))
    if health.details.get("max_memory_bytes") and policy != KEEPS:
        mend = f"set maxmemory-policy {KEEPS}"
        raise BadInput("TURNFOLD_REDIS_URL", f"names a store that drops jobs when it is full: {mend}")


async def _health(settings: Settings) -> StoreHealth:
    store = build_store(settings)
    try:
        return await store.health()
    finally:
        await store.close()
