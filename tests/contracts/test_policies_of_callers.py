"""A policy that a caller brings goes with the sessions that it makes: workers have another one, and obey it."""

from __future__ import annotations

from tests.support.sessions import EAGER, Desk, said
from turnfold.policy import Policy
from turnfold.service import TurnfoldService
from turnfold.sessions.job import JobState
from turnfold.sessions.store import SessionStore

# What the worker has: it would find nothing to do, and its steps are others.
WORKERS_OWN = {"strategy": "sliding_window", "keep_last_groups": 50}


def desk_of(store: SessionStore, *, keeps_policy: bool) -> Desk:
    desk = Desk(store, WORKERS_OWN)
    desk.service = TurnfoldService(
        store=store, queue=desk.queue, policy=Policy.parse(EAGER), ttl_seconds=3600, keeps_policy=keeps_policy
    )
    return desk


async def test_it_is_kept_with_sessions_that_an_append_makes(store: SessionStore) -> None:
    desk = desk_of(store, keeps_policy=True)
    await desk.service.append("s", said(9))
    assert (await desk.service.session("s")).policy == Policy.parse(EAGER).json
    assert await desk.work() == 1
    (job,) = await store.list_jobs("default", None, 10)
    assert (job.state, bool(job.summary_id)) == (JobState.SUCCEEDED, True)
    context = await desk.service.context("s")
    assert context.counts["messages"] < 9


async def test_and_with_those_that_are_made_first_unless_they_get_one_of_their_own(store: SessionStore) -> None:
    desk = desk_of(store, keeps_policy=True)
    own = Policy.parse(WORKERS_OWN)
    await desk.service.create("a")
    await desk.service.create("b", policy=own)
    await desk.service.for_tenant("acme").create("c")
    assert (await desk.service.session("a")).policy == Policy.parse(EAGER).json
    assert (await desk.service.session("b")).policy == own.json
    assert (await desk.service.for_tenant("acme").session("c")).policy == Policy.parse(EAGER).json


async def test_the_environment_s_policy_is_kept_with_none(store: SessionStore) -> None:
    desk = desk_of(store, keeps_policy=False)
    await desk.service.append("s", said(2))
    assert (await desk.service.session("s")).policy == ""
