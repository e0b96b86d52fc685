"""A sweep finds what is due and nobody comes to by itself, and enqueues one job a session."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.sessions import EAGER, Desk, said
from turnfold.jobs.prices import Prices
from turnfold.operations.sweeping import SweepRequest, announce_policy, sweep
from turnfold.policy import Policy
from turnfold.sessions.job import JobState
from turnfold.sessions.session_key import SessionKey
from turnfold.sessions.store import SessionStore

LAZY: dict[str, Any] = {"strategy": "sliding_window", "keep_last_groups": 50}
ALL = SweepRequest()
DRY = SweepRequest(dry_run=True)


async def lazy_sessions(store: SessionStore, count: int, *, tenant: str = "default") -> Desk:
    """So many sessions that would be due by another policy."""
    desk = Desk(store, LAZY)
    desk.service = desk.service.for_tenant(tenant)
    for n in range(count):
        await desk.service.append(f"s{n}", said(8))
    return desk


async def jobs_of(desk: Desk) -> list[tuple[str, JobState]]:
    return [(job.session, job.state) for job in await desk.store.list_jobs(desk.service.tenant, None, 1000)]


async def give_policy(desk: Desk, *sessions: str) -> None:
    for session in sessions:
        await desk.service.update(session, policy=Policy.parse(EAGER).json)


async def test_a_session_that_was_given_another_policy_is_due(store: SessionStore) -> None:
    desk = await lazy_sessions(store, 3)
    await give_policy(desk, "s0", "s2")

    report = await sweep(desk.service, ALL)

    assert (report.due, report.enqueued) == (2, 2)
    assert sorted(await jobs_of(desk)) == [("s0", JobState.QUEUED), ("s2", JobState.QUEUED)]
    assert len(desk.queue.sent) == 2
    assert await desk.work() == 2
    assert (await sweep(desk.service, ALL)).due == 0


async def test_a_dry_run_tells_the_same_and_does_nothing(store: SessionStore) -> None:
    desk = await lazy_sessions(store, 3)
    await give_policy(desk, "s0", "s2")
    prices = Prices(summary_input=2.0, summary_output=8.0)

    dry = await sweep(desk.service, DRY, prices=prices)
    again = await sweep(desk.service, DRY, prices=prices)

    assert dry == again
    assert (dry.due, dry.enqueued, await jobs_of(desk), desk.queue.sent) == (2, 0, [], [])
    wet = await sweep(desk.service, ALL, prices=prices)
    assert (wet.due, wet.estimated_tokens, wet.estimated_cost) == (2, dry.estimated_tokens, dry.estimated_cost)


async def test_the_estimate_is_about_what_the_job_then_folds(store: SessionStore) -> None:
    desk = await lazy_sessions(store, 1)
    await give_policy(desk, "s0")
    report = await sweep(desk.service, ALL, prices=Prices(summary_input=1_000_000.0))
    await desk.work()
    (job,) = await store.list_jobs("default", None, 10)
    prompt_tokens = report.estimated_cost
    assert job.source_tokens * 0.7 < prompt_tokens < job.source_tokens * 1.3 + 800
    assert prompt_tokens < report.estimated_tokens < prompt_tokens + job.source_tokens


async def test_a_limit_is_kept_and_the_rest_is_found_by_the_next_sweep(store: SessionStore) -> None:
    desk = await lazy_sessions(store, 5)
    await give_policy(desk, *(f"s{n}" for n in range(5)))

    reports = [await sweep(desk.service, SweepRequest(limit=2)) for _ in range(4)]

    assert [(report.due, report.enqueued) for report in reports] == [(5, 2), (3, 2), (1, 1), (0, 0)]


async def test_only_idle_sessions_are_enqueued_where_that_is_asked_for(store: SessionStore) -> None:
    desk = await lazy_sessions(store, 2)
    await give_policy(desk, "s0", "s1")
    assert (await sweep(desk.service, SweepRequest(idle_seconds=3600))).due == 0
    assert (await sweep(desk.service, ALL)).enqueued == 2


async def test_sweeps_at_the_same_time_enqueue_one_job_a_session(store: SessionStore) -> None:
    desk = await lazy_sessions(store, 10)
    await give_policy(desk, *(f"s{n}" for n in range(10)))

    reports = await asyncio.gather(*(sweep(Desk(store, LAZY).service, ALL) for _ in range(4)))

    assert sum(report.enqueued for report in reports) == 10
    assert len(await jobs_of(desk)) == 10


async def test_a_job_whose_message_was_lost_is_sent_again(store: SessionStore) -> None:
    desk = Desk(store)
    await desk.service.append("s", said(8))
    job_id = await desk.take() or ""
    job = await store.claim(job_id, "w", 0)  # and the worker is gone

    report = await sweep(desk.service, ALL)

    assert job is not None
    assert (report.due, report.enqueued, await desk.take()) == (1, 1, job_id)
    assert report.estimated_tokens > 0
    assert len(await jobs_of(desk)) == 1


async def test_a_tenant_sweeps_its_own_sessions(store: SessionStore) -> None:
    ours, theirs = await lazy_sessions(store, 2), await lazy_sessions(store, 3, tenant="other")
    await give_policy(ours, "s0", "s1")
    await give_policy(theirs, "s0", "s1", "s2")

    assert (await sweep(theirs.service, SweepRequest(tenant="other"))).enqueued == 3
    assert await jobs_of(ours) == []
    assert (await sweep(theirs.service, ALL)).enqueued == 2


async def test_after_the_services_policy_has_changed_all_sessions_are_looked_at_once(store: SessionStore) -> None:
    desk = await lazy_sessions(store, 4)
    await announce_policy(desk.service)
    assert (await sweep(desk.service, ALL)).due == 0

    eager = Desk(store)
    assert (await sweep(eager.service, DRY)).due == 4
    assert (await sweep(eager.service, SweepRequest(limit=3))).enqueued == 3
    assert (await sweep(eager.service, ALL)).enqueued == 1
    assert (await sweep(eager.service, DRY)).due == 0


async def test_a_tenants_sweep_looks_at_its_sessions_once_after_a_change(
    store: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    await announce_policy((await lazy_sessions(store, 2)).service)
    eager, looks = Desk(store), 0
    recent = store.recent_sessions

    def counted(since_ms: int) -> Any:
        nonlocal looks
        looks += 1
        return recent(since_ms)

    monkeypatch.setattr(store, "recent_sessions", counted)
    for _ in range(3):
        await sweep(eager.service, SweepRequest(tenant="default"))
    assert looks == 1


async def test_a_sweep_does_not_look_at_sessions_that_are_not_due(
    store: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given
    desk = await lazy_sessions(store, 30)
    await sweep(desk.service, ALL)
    await give_policy(desk, "s7")
    read: list[str] = []
    read_head = store.read_head

    async def noted(key: SessionKey) -> Any:
        read.append(key.id)
        return await read_head(key)

    monkeypatch.setattr(store, "read_head", noted)

    # when
    report = await sweep(desk.service, ALL)

    # then
    assert (report.enqueued, set(read)) == (1, {"s7"})


async def test_a_session_whose_job_died_is_due_again_after_a_while(store: SessionStore) -> None:
    # given
    desk = Desk(store)
    await desk.service.append("s", said(8))
    job = await store.claim(await desk.take() or "", "w", 60_000)
    assert job is not None
    await store.finish(job, JobState.DEAD, reason="refused", error="400", plan_at_tokens=10**9)
    key = desk.service.key("s")

    # when: the time to wait is not over
    await store.look_later(key, 60_000)
    assert (await sweep(desk.service, ALL)).due == 0

    # then: once it is
    await store.look_later(key, 0)
    assert (await sweep(desk.service, ALL)).enqueued == 1
    assert (await desk.service.session("s")).deaths == 1
    await desk.work()
    assert (await desk.service.session("s")).deaths == 0


async def test_a_session_that_waits_is_forgotten_with_it(store: SessionStore) -> None:
    desk = await lazy_sessions(store, 1)
    await give_policy(desk, "s0")
    await desk.service.delete("s0")
    assert await store.waiting_sessions(10) == []


async def test_a_look_that_was_asked_for_anew_is_not_forgotten(store: SessionStore) -> None:
    key = SessionKey("default", "s")
    await store.look_later(key, -5000)
    ((since, _),) = await store.waiting_sessions(10)
    await store.look_later(key, -4000)
    await store.looked_at(key, since)
    ((later, _),) = await store.waiting_sessions(10)
    assert later > since
    await store.looked_at(key, later)
    assert await store.waiting_sessions(10) == []
