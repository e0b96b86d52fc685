"""What a sweep looks at: every session that was active, and what is left of those that are no more."""

from __future__ import annotations

from dataclasses import replace

from tests.support.sessions import EAGER, Desk, said
from turnfold.policy import Policy
from turnfold.sessions.memory_store import MemoryStore
from turnfold_workers.sweeps import drop_expired_sessions, plan_due_sessions

NOTHING = {"strategy": "sliding_window", "keep_last_groups": 50}


class Clock:
    """Moves when it is told to."""

    def __init__(self) -> None:
        self.ms = 1_000_000

    def __call__(self) -> int:
        return self.ms


async def test_every_active_session_in_which_a_summary_is_due_is_planned_however_many_there_are() -> None:
    # given: sessions of a policy that folds nothing, and then one that does
    desk = Desk(MemoryStore(), NOTHING)
    for n in range(450):
        await desk.service.append(f"s{n}", said(8))

    # when
    planned = await plan_due_sessions(desk.store, desk.queue, Policy.parse(EAGER), since_ms=0)

    # then
    assert planned == 450
    assert await plan_due_sessions(desk.store, desk.queue, Policy.parse(EAGER), since_ms=0) == 0


async def test_a_session_that_waits_for_a_job_that_is_gone_gets_another() -> None:
    # given
    desk = Desk(MemoryStore())
    await desk.service.append("s", said(8))
    head = await desk.service.session("s")
    lost = replace(head, version=head.version + 1, pending_job=f"{desk.service.key('s').shard:03d}-gone")
    await desk.store.write_head(desk.service.key("s"), head.version, lost)

    # when
    planned = await plan_due_sessions(desk.store, desk.queue, desk.policy, since_ms=0)

    # then
    assert planned == 1
    assert (await desk.service.session("s")).pending_job != lost.pending_job


async def test_all_expired_sessions_are_dropped_however_many_there_are() -> None:
    # given
    clock = Clock()
    desk = Desk(MemoryStore(clock))
    for n in range(450):
        await desk.service.create(f"s{n}", ttl_seconds=10)
    await desk.service.create("stays", ttl_seconds=1000)

    # when
    clock.ms += 20_000

    # then
    assert await drop_expired_sessions(desk.store) == 450
    assert [name for _, name in await desk.store.list_sessions("default", None, 10)] == ["stays"]
