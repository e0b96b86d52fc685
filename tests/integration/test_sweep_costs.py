"""What a sweep costs depends on what is due, not on how many sessions there are."""

from __future__ import annotations

import asyncio
import time

import pytest
from redis.asyncio import Redis

from tests.support.sessions import EAGER, Desk, said
from turnfold.embedded import EmbeddedServer
from turnfold.operations.sweeping import SweepRequest, sweep
from turnfold.policy import Policy
from turnfold.sessions.redis_store import RedisStore

FEW, MANY, DUE = 10_000, 1_000_000, 100
LAZY = {"strategy": "sliding_window", "keep_last_groups": 50}
SIDE_BY_SIDE = 64


@pytest.mark.soak
@pytest.mark.timeout(3600)
async def test_a_sweep_of_a_million_sessions_takes_as_long_as_one_of_ten_thousand() -> None:
    with EmbeddedServer() as server:
        client: Redis = Redis.from_url(server.redis_url, protocol=2)
        desk = Desk(RedisStore(client), LAZY)
        await _make_sessions(desk, range(FEW))
        few = await _seconds_of_a_sweep(desk, first=0)
        await _make_sessions(desk, range(FEW, MANY))
        many = await _seconds_of_a_sweep(desk, first=DUE)
        await client.aclose()
    print(f"{DUE} due among {FEW:,}: {few:.3f} s; among {MANY:,}: {many:.3f} s")  # noqa: T201 - what a soak is for
    assert many < 2 * few


async def _make_sessions(desk: Desk, numbers: range) -> None:
    gate = asyncio.Semaphore(SIDE_BY_SIDE)

    async def make(number: int) -> None:
        async with gate:
            await desk.service.append(f"s{number}", said(1) if number >= 2 * DUE else said(8))

    for start in range(numbers.start, numbers.stop, 10_000):
        await asyncio.gather(*(make(n) for n in range(start, min(start + 10_000, numbers.stop))))


async def _seconds_of_a_sweep(desk: Desk, *, first: int) -> float:
    """Of a sweep that finds a hundred sessions due; the best of three looks, and the one that enqueues."""
    for number in range(first, first + DUE):
        await desk.service.update(f"s{number}", policy=Policy.parse(EAGER).json)
    seconds: list[float] = []
    for request in [*[SweepRequest(dry_run=True)] * 3, SweepRequest()]:
        began = time.perf_counter()
        report = await sweep(desk.service, request)
        seconds.append(time.perf_counter() - began)
        assert (report.due, report.enqueued) == (DUE, 0 if request.dry_run else DUE)
    await desk.work()
    return min(seconds)
