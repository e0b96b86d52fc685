"""The session store: whether it answers, whether it may drop sessions, and what time it is there."""

from __future__ import annotations

import time
from contextlib import suppress

from turnfold.doctor.check import Check, place_of
from turnfold.errors import BadInput, Unavailable
from turnfold.sessions.store import SessionStore
from turnfold.sessions.store_health import StoreHealth
from turnfold.settings import Settings
from turnfold.wiring import build_store

STORE, POLICY, CLOCK = "store", "maxmemory-policy", "clock"
# Leases and lifetimes go by the store's clock alone; logs of several machines are read side by side.
MAX_APART_SECONDS = 2.0
NOT_LOOKED_AT = "not looked at: the store does not answer"


async def store_checks(settings: Settings) -> list[Check]:
    """The store, its memory policy, its clock."""
    try:
        store = build_store(settings)
    except BadInput as error:
        mend = "set TURNFOLD_REDIS_URL, such as redis://HOST:6379/0; `turnfold up` brings a store of its own"
        return [Check(STORE, error.detail, mend), *_unknown()]
    except ModuleNotFoundError as error:
        return [Check(STORE, f"{error.name} is not installed", "pip install 'turnfold[redis]'"), *_unknown()]
    try:
        return await _of(store, place_of(settings.redis_url or ""))
    finally:
        await store.close()


def memory_policy(health: StoreHealth, whose: str = "") -> Check:
    """Whether a server that is short of memory drops what it was given."""
    policy = str(health.details.get("maxmemory_policy", "not told by the server"))
    found = [problem for problem in health.problems if problem.startswith(POLICY)]
    return Check(POLICY, f"{policy}{whose}", found[0].partition(": ")[2] if found else "")


async def _of(store: SessionStore, place: str) -> list[Check]:
    health = await store.health()
    if not health.reachable:
        return [Check(STORE, *_said_and_mend(health.problems[0])), *_unknown()]
    took = await _ping_ms(store)
    server = f"{health.details.get('server', 'a server')} {health.details.get('version', '')}".strip()
    others = [problem for problem in health.problems if not problem.startswith(POLICY)]
    found = [Check(STORE, *_said_and_mend(problem)) for problem in others]
    well = [Check(STORE, f"{server} at {place} answers in {took:.1f} ms")]
    return [*(found or well), memory_policy(health), await _clock(store)]


async def _ping_ms(store: SessionStore) -> float:
    began = time.perf_counter()
    with suppress(Unavailable):
        await store.ping()
    return (time.perf_counter() - began) * 1000


async def _clock(store: SessionStore) -> Check:
    before = time.time()
    try:
        there = await store.now_ms() / 1000
    except Unavailable as error:
        return Check(CLOCK, error.detail, "see the line of the store")
    here = (before + time.time()) / 2
    apart = abs(there - here)
    said = f"this machine and the store are {apart:.3f} s apart"
    is_well = apart <= MAX_APART_SECONDS + (time.time() - before)
    return Check(CLOCK, said, "" if is_well else "set both clocks by NTP: times in logs and answers don't agree")


def _said_and_mend(problem: str) -> tuple[str, str]:
    """A problem as stores tell it: what is, and behind the last colon or semicolon what to do."""
    for mark in ("; ", ": "):
        said, found, mend = problem.rpartition(mark)
        if found:
            return said, mend
    return problem, "see the server's own log"


def _unknown() -> list[Check]:
    return [Check(name, NOT_LOOKED_AT, "see the line of the store") for name in (POLICY, CLOCK)]
