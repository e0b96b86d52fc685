"""Pages of sessions and jobs, where the cursor stands among many of one moment."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest
from redis.asyncio import Redis

from tests.support.sessions import Desk, said
from turnfold.sessions import keys
from turnfold.sessions.job import new_job
from turnfold.sessions.redis_store import RedisStore
from turnfold.sessions.session_key import SessionKey

T = TypeVar("T")


async def page_by_page(
    read: Callable[[tuple[int, str] | None], Awaitable[list[T]]], place: Callable[[T], tuple[int, str]]
) -> list[T]:
    found: list[T] = []
    before: tuple[int, str] | None = None
    while page := await read(before):
        found += page
        before = place(page[-1])
    return found


@pytest.fixture
def store(client: Redis) -> RedisStore:
    return RedisStore(client)


async def test_sessions_of_one_moment_are_listed_once_each(store: RedisStore, client: Redis) -> None:
    # given: forty sessions of one shard with the same last activity
    desk = Desk(store)
    ids = [f"s{n}" for n in range(20_000) if SessionKey("default", f"s{n}").shard == 7][:40]
    for name in ids:
        await desk.service.append(name, said(1))
    await client.zadd(keys.sessions(7, "default"), dict.fromkeys(ids, 1_000))

    # when
    async def read(before: tuple[int, str] | None) -> list[tuple[int, str]]:
        return await store.list_sessions("default", before, 3)

    found = await page_by_page(read, lambda item: item)

    # then
    assert found == [(1_000, name) for name in sorted(ids, reverse=True)]


async def test_jobs_whose_records_are_gone_do_not_end_a_listing(store: RedisStore, client: Redis) -> None:
    # given
    desk, shard = Desk(store), SessionKey("default", "s").shard
    await desk.service.append("s", said(1))
    start = await store.now_ms()
    for n in range(12):
        head = await desk.service.session("s")
        job = new_job(desk.service.key("s"), head.incarnation)
        await store.request_job(desk.service.key("s"), head.version, head, job)
        await client.hset(keys.head(desk.service.key("s")), "pending_job", "")
        await client.zadd(keys.jobs(shard, "default"), {job.id: start + n})
        if 2 < n < 11:
            await client.delete(keys.job(job.id))

    # when
    async def read(before: tuple[int, str] | None) -> list[tuple[int, str]]:
        jobs = await store.list_jobs("default", before, 2)
        scores = [await client.zscore(keys.jobs(shard, "default"), job.id) for job in jobs]
        return [(int(score or 0), job.id) for score, job in zip(scores, jobs, strict=True)]

    found = await page_by_page(read, lambda item: item)

    # then
    assert [score - start for score, _ in found] == [11, 2, 1, 0]
    assert await client.zcard(keys.jobs(shard, "default")) == 4
