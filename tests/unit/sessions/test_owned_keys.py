"""The list of keys that a session owns beside its own: it is whole, and it does not grow for ever."""

from __future__ import annotations

from typing import Any, cast

import pytest
from redis.asyncio import Redis

from tests.support.sessions import Desk, said
from turnfold.errors import Unavailable
from turnfold.sessions import keys
from turnfold.sessions.job import JobState
from turnfold.sessions.redis_store import RedisStore

# Lua's stack holds about 8,000 values.
MORE_THAN_LUA_HOLDS = 8_500


async def answered(desk: Desk, count: int) -> None:
    """So many appends, each with an answer that is kept."""
    for n in range(count):
        await desk.service.append("s", [{"role": "user", "content": "hello"}], idempotency_key=f"k{n}", digest="d")


async def names(client: Redis) -> list[str]:
    return sorted(name.decode() for name in await cast("Any", client.keys("*")))


async def own(desk: Desk, client: Redis) -> dict[str, float]:
    pairs: Any = await client.zrange(keys.owned(desk.service.key("s")), 0, -1, withscores=True)
    return {name.decode(): score for name, score in pairs}


async def test_a_session_with_more_answers_than_luas_stack_holds_is_erased(desk: Desk, client: Redis) -> None:
    # given
    await answered(desk, MORE_THAN_LUA_HOLDS)

    # when
    await desk.service.delete("s")

    # then
    assert await names(client) == []


async def test_an_erasure_that_broke_off_is_finished_by_the_next(
    desk: Desk, client: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given: the second of several steps never reaches the store
    await answered(desk, 1200)
    store, calls = cast("RedisStore", desk.store), 0
    run = store.run

    async def broken(name: str, keys: list[str], arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls > 1:
            raise Unavailable
        return await run(name, keys, arguments)

    monkeypatch.setattr(store, "run", broken)
    with pytest.raises(Unavailable):
        await desk.service.delete("s")
    monkeypatch.undo()

    # then: the session is still there to be erased, waits for no job that is gone, and nothing is left in the end
    assert (await desk.service.session("s")).pending_job == ""
    await desk.service.delete("s")
    assert await names(client) == []


async def test_answers_that_expired_are_no_longer_listed(desk: Desk, client: Redis) -> None:
    # given
    await answered(desk, 3)
    listed = await own(desk, client)
    await client.zadd(keys.owned(desk.service.key("s")), dict.fromkeys(listed, 1))

    # when
    await desk.service.append("s", said(1), idempotency_key="new", digest="d")

    # then
    assert list(await own(desk, client)) == [keys.idempotency(desk.service.key("s"), "new")]


@pytest.mark.parametrize("how", ["committed", "dead"])
async def test_a_finished_job_is_listed_as_long_as_its_record_is_there(desk: Desk, client: Redis, how: str) -> None:
    # given: a job that was made long ago
    await desk.service.append("s", said(8))
    name = keys.job((await desk.service.session("s")).pending_job)
    await client.pexpire(name, 50_000)
    await client.zadd(keys.owned(desk.service.key("s")), {name: await desk.store.now_ms() + 50_000})

    # when
    if how == "committed":
        await desk.work()
    else:
        job = await desk.store.claim(name.rpartition(":")[2], "w", 60_000)
        assert job is not None
        await desk.store.finish(job, JobState.DEAD, reason="", error="", plan_at_tokens=0)

    # then
    ends = await desk.store.now_ms() + await client.pttl(name)
    assert (await own(desk, client))[name] == pytest.approx(ends, abs=2_000)
    assert await client.pttl(name) > 50_000


async def test_a_job_whose_record_is_gone_keeps_no_other_from_being_asked_for(desk: Desk, client: Redis) -> None:
    # given
    await desk.service.append("s", said(8))
    lost = (await desk.service.session("s")).pending_job
    await client.delete(keys.job(lost))

    # when
    job = await desk.service.compact("s")

    # then
    assert job.id != lost
    assert (await desk.service.session("s")).pending_job == job.id
