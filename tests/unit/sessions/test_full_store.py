"""A store that is full: nothing more goes in, and what makes room still works."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis

from tests.support.sessions import Desk, said
from tests.support.waiting import wait_until_async
from turnfold.errors import Unavailable
from turnfold.sessions.job import Job, JobState


@pytest.fixture
async def job(desk: Desk, client: Redis) -> AsyncIterator[Job]:
    """A job that is at work on session `s`, when the store becomes full."""
    await desk.service.append("s", said(8), idempotency_key="k", digest="d")
    await desk.service.create("short", ttl_seconds=1)
    claimed = await desk.store.claim((await desk.service.session("s")).pending_job, "w", 60_000)
    assert claimed is not None
    await client.config_set("maxmemory", 1024 * 1024 // 2)
    with pytest.raises(Unavailable):
        await desk.service.append("s", said(1, 9))
    yield claimed
    await client.config_set("maxmemory", 0)


async def test_a_full_store_says_so(desk: Desk, job: Job) -> None:
    health = await desk.store.health()
    assert health.reachable
    assert health.details["full"] is True
    assert any("maxmemory" in problem for problem in health.problems), job.id


async def test_sessions_can_be_erased_from_a_full_store(desk: Desk, client: Redis, job: Job) -> None:
    await desk.service.delete("s")

    assert await desk.store.read_job(job.id) is None
    assert await client.keys("*:s:default:s:*") == []


async def test_jobs_are_held_given_back_and_ended_in_a_full_store(desk: Desk, job: Job) -> None:
    assert await desk.store.renew(job, 60_000)
    assert await desk.store.release(job, delay_ms=0, error="the store is full")
    again = await desk.store.read_job(job.id)
    assert again is not None
    assert again.state is JobState.RETRYING


async def test_a_job_can_end_in_a_full_store(desk: Desk, job: Job) -> None:
    assert await desk.store.finish(job, JobState.DEAD, reason="refused", error="no", plan_at_tokens=10)

    assert (await desk.service.session("s")).pending_job == ""


async def test_no_job_begins_whose_summary_could_not_be_stored(desk: Desk, job: Job) -> None:
    assert await desk.store.release(job, delay_ms=0, error="")

    with pytest.raises(Unavailable):
        await desk.store.claim(job.id, "w", 60_000)


async def test_expired_sessions_leave_the_indexes_of_a_full_store(desk: Desk, job: Job) -> None:
    async def is_gone() -> bool:
        return await desk.store.read_head(desk.service.key("short")) is None

    await wait_until_async(is_gone, description="the session expired")

    assert await desk.store.drop_expired(10) == 1
    assert [name for _, name in await desk.store.list_sessions("default", None, 10)] == [job.session]
