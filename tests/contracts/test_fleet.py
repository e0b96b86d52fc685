"""What operators see of all processes together: counts, the queue, the workers."""

from __future__ import annotations

import asyncio

from tests.support.sessions import Desk, said
from turnfold.sessions.fleet import WORKER_LIFETIME_MS, QueueState, WorkerState
from turnfold.sessions.store import SessionStore


def worker(name: str, seen_at_ms: int, in_flight: int = 0) -> WorkerState:
    return WorkerState(name=name, seen_at_ms=seen_at_ms, started_at_ms=1, in_flight=in_flight, version="1")


async def test_counts_of_many_processes_add_up(store: SessionStore) -> None:
    await store.add_counts({})
    await asyncio.gather(*(store.add_counts({"a,x=1": 1, "seconds,sum": 0.25}) for _ in range(8)))
    assert await store.counts() == {"a,x=1": 8.0, "seconds,sum": 2.0}


async def test_the_queue_is_seen_as_it_is(store: SessionStore) -> None:
    desk = Desk(store)
    assert await store.queue_state() == QueueState()
    await desk.service.append("a", said(9))
    await desk.service.append("b", said(9))
    job_id = await desk.take()
    assert job_id is not None
    assert (await store.queue_state()).waiting == 2
    claimed = await store.claim(job_id, "tester", 60_000)
    assert claimed is not None
    assert (await store.queue_state()).overdue == 0
    await store.release(claimed, delay_ms=-5000, error="")
    late = await store.queue_state()
    assert (late.waiting, late.overdue) == (2, 1)
    assert 5000 <= late.oldest_overdue_ms < 15_000
    await store.look_later(desk.service.key("a"), 60_000)
    assert (await store.queue_state()).sessions_waiting == 1


async def test_a_worker_is_there_while_it_is_heard_of(store: SessionStore) -> None:
    now = await store.now_ms()
    await store.note_worker(worker("long ago", now - WORKER_LIFETIME_MS - 5000))
    await store.note_worker(worker("b", now, in_flight=3))
    await store.note_worker(worker("a", now))
    await store.note_worker(worker("a", now, in_flight=1))
    assert [(one.name, one.in_flight) for one in await store.workers()] == [("a", 1), ("b", 3)]
    await store.forget_worker("b")
    await store.forget_worker("never there")
    assert [one.name for one in await store.workers()] == ["a"]
