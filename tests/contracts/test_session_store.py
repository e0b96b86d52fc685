"""What every session store does."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from tests.support.sessions import EAGER, Desk, said
from turnfold.audit import audit
from turnfold.errors import Conflict, IdempotencyMismatch, NotFound, RevisionMismatch
from turnfold.index import MessageIndex
from turnfold.policy import Policy
from turnfold.sessions.job import JobState
from turnfold.sessions.session_key import SessionKey
from turnfold.sessions.store import SessionStore, Stale


@pytest.fixture
def desk(store: SessionStore) -> Desk:
    return Desk(store)


async def test_messages_come_back_as_they_went_in(desk: Desk) -> None:
    strange: list[dict[str, Any]] = [
        {"role": "user", "content": "a\u0000b \ud800 <|endoftext|> 日本", "x": {"list": [], "map": {}, "big": 10**25}},
        {"role": "assistant", "content": None, "id": "given", "f": 0.1, "n": 9007199254740993},
    ]
    result = await desk.service.append("s", strange)
    read = await desk.service.messages("s")
    assert [dict(read.entries[p].message) for p in sorted(read.entries)] == strange
    assert (result.first, result.last, result.ids[1]) == (1, 2, "given")


async def test_an_id_that_is_taken_is_replaced_by_one_of_the_stores(desk: Desk) -> None:
    first = await desk.service.append("s", [{"role": "user", "content": "a", "id": "m"}])
    second = await desk.service.append(
        "s", [{"role": "user", "content": "b", "id": "m"}, {"role": "user", "content": "c"}]
    )
    third = await desk.service.append("s", [{"role": "user", "content": "d", "id": second.ids[1]}])
    ids = [*first.ids, *second.ids, *third.ids]
    assert first.ids == ["m"]
    assert len(set(ids)) == 4


async def test_the_revision_moves_by_one_with_each_append(desk: Desk) -> None:
    assert [(await desk.service.append("s", said(2))).revision for _ in range(3)] == [1, 2, 3]


async def test_an_append_on_an_old_revision_is_refused_and_stores_nothing(desk: Desk) -> None:
    await desk.service.append("s", said(1))
    with pytest.raises(RevisionMismatch):
        await desk.service.append("s", said(1), if_match=0)
    assert (await desk.service.append("s", said(1, 2), if_match=1)).last == 2


async def test_the_same_idempotency_key_gives_the_same_answer_and_stores_once(desk: Desk) -> None:
    answers = await asyncio.gather(
        *(desk.service.append("s", said(2), idempotency_key="k", digest="d") for _ in range(5))
    )
    assert {(a.first, a.last, tuple(a.ids), a.revision) for a in answers} == {(1, 2, tuple(answers[0].ids), 1)}
    assert sum(answer.repeated for answer in answers) == 4
    assert (await desk.service.session("s")).length == 2


async def test_an_idempotency_key_counts_before_the_revision(desk: Desk) -> None:
    first = await desk.service.append("s", said(1), idempotency_key="k", digest="d", if_match=0)
    again = await desk.service.append("s", said(1), idempotency_key="k", digest="d", if_match=0)
    assert (again.ids, again.repeated) == (first.ids, True)


async def test_an_idempotency_key_with_another_body_is_refused(desk: Desk) -> None:
    await desk.service.append("s", said(1), idempotency_key="k", digest="d")
    with pytest.raises(IdempotencyMismatch):
        await desk.service.append("s", said(1), idempotency_key="k", digest="other")


async def test_a_write_on_an_old_version_changes_nothing_and_is_told_the_present_head(desk: Desk) -> None:
    await desk.service.append("s", said(1))
    key = desk.service.key("s")
    old = await desk.service.session("s")
    await desk.service.append("s", said(1, 2))
    answer = await desk.store.write_head(key, old.version, replace(old, version=old.version + 1, metadata={"a": 1}))
    assert isinstance(answer, Stale)
    assert answer.head is not None
    assert (answer.head.length, answer.head.metadata) == (2, {})


async def test_many_writers_of_one_session_lose_and_double_nothing(store: SessionStore) -> None:
    desks = [Desk(store) for _ in range(4)]  # as many processes: none knows what the others wrote
    wanted = [f"{n}" for n in range(60)]
    await asyncio.gather(*(desks[int(n) % 4].service.append("s", [{"role": "user", "content": n}]) for n in wanted))
    read = await desks[0].service.messages("s", limit=1000)
    assert sorted(read.entries[p].message.text for p in read.entries) == sorted(wanted)
    assert await audit(store, desks[0].service.key("s"), desks[0].policy) == []


async def test_a_job_is_recorded_with_the_messages_that_made_it_due(desk: Desk) -> None:
    quiet = await desk.service.append("s", said(6))
    due = await desk.service.append("s", said(1, 7))
    assert quiet.job is None
    assert due.job is not None
    job = await desk.store.read_job(due.job["id"])
    assert job is not None
    assert (job.state, job.session, await desk.take()) == (JobState.QUEUED, "s", job.id)


async def test_a_session_has_one_pending_job_at_a_time(desk: Desk) -> None:
    first = await desk.service.append("s", said(7))
    second = await desk.service.append("s", said(1, 8))
    asked = await desk.service.compact("s")
    assert first.job == second.job
    assert first.job is not None
    assert asked.id == first.job["id"]


async def test_a_summary_stands_where_its_sources_stood(desk: Desk) -> None:
    await desk.service.append("s", [{"role": "system", "content": "Be brief."}, *said(8)])
    before = await desk.service.context("s")
    await desk.work()
    after = await desk.service.context("s")
    assert [m["role"] for m in after.messages[:2]] == ["system", "assistant"]
    assert after.messages[1]["content"].startswith("[Summary]")
    assert after.counts["tokens"] < before.counts["tokens"]
    assert after.messages[2:] == before.messages[-len(after.messages[2:]) :]
    assert await audit(desk.store, desk.service.key("s"), desk.policy) == []


async def test_a_commit_moves_the_view_and_not_the_revision_that_clients_match(desk: Desk) -> None:
    appended = await desk.service.append("s", said(8))
    before = await desk.service.session("s")
    await desk.work()
    after = await desk.service.session("s")
    assert after.revision == before.revision == appended.revision
    assert after.view_revision > before.view_revision
    assert (await desk.service.append("s", said(1, 9), if_match=appended.revision)).last == 9


async def test_messages_that_come_during_a_job_do_not_make_its_summary_stale(desk: Desk) -> None:
    await desk.service.append("s", said(8))
    job_id = await desk.take()
    assert job_id is not None
    claimed = await desk.store.claim(job_id, "w", 10_000)
    assert claimed is not None
    await desk.service.append("s", said(3, 9))
    await desk.store.release(claimed, delay_ms=0, error="")
    await desk.queue.send(job_id)
    await desk.work()
    assert (await desk.store.read_job(job_id) or claimed).state is JobState.SUCCEEDED
    assert (await desk.service.session("s")).length == 11
    assert await audit(desk.store, desk.service.key("s"), desk.policy) == []


async def test_a_claimed_job_is_nobody_elses_until_its_lease_runs_out(desk: Desk) -> None:
    await desk.service.append("s", said(8))
    job_id = await desk.take()
    assert job_id is not None
    first = await desk.store.claim(job_id, "one", 60_000)
    second = await desk.store.claim(job_id, "two", 60_000)
    assert first is not None
    assert second is None
    assert await desk.store.renew(first, 60_000)


async def test_a_lost_lease_is_taken_over_with_a_higher_fence_and_the_first_holder_is_refused(desk: Desk) -> None:
    await desk.service.append("s", said(8))
    job_id = await desk.take()
    assert job_id is not None
    first = await desk.store.claim(job_id, "one", 0)
    second = await desk.store.claim(job_id, "two", 60_000)
    assert first is not None
    assert second is not None
    assert second.fence > first.fence
    assert not await desk.store.renew(first, 60_000)
    assert not await desk.store.release(first, delay_ms=0, error="late")
    assert not await desk.store.finish(first, JobState.DEAD, reason="", error="late", plan_at_tokens=0)
    assert (await desk.store.read_job(job_id) or first).state is JobState.RUNNING


async def test_a_job_that_ends_without_a_summary_frees_its_session(desk: Desk) -> None:
    await desk.service.append("s", said(8))
    job_id = await desk.take()
    assert job_id is not None
    job = await desk.store.claim(job_id, "w", 60_000)
    assert job is not None
    assert await desk.store.finish(
        job, JobState.DEAD, reason="refused", error="the model answered 400", plan_at_tokens=10**9
    )
    dead = await desk.store.read_job(job_id)
    again = await desk.service.append("s", said(1, 9))
    assert dead is not None
    assert (dead.state, dead.reason, again.job) == (JobState.DEAD, "refused", None)


async def test_a_job_left_alone_is_due_and_a_finished_one_is_not(desk: Desk) -> None:
    await desk.service.append("s", said(8))
    job_id = await desk.take()
    assert job_id is not None
    claimed = await desk.store.claim(job_id, "w", 0)
    assert claimed is not None
    assert job_id in await desk.store.due_jobs(10)
    await desk.store.claim(job_id, "w", 60_000)
    assert job_id not in await desk.store.due_jobs(10)


async def test_a_kept_reply_is_found_again(desk: Desk) -> None:
    await desk.service.append("s", said(1))
    key = desk.service.key("s")
    incarnation = (await desk.service.session("s")).incarnation
    assert await desk.store.keep_reply(key, incarnation, "digest", b"reply")
    assert not await desk.store.keep_reply(key, "another one", "other", b"reply")
    assert await desk.store.kept_reply(key, "digest") == b"reply"
    assert await desk.store.kept_reply(key, "other") is None


async def test_a_turn_reads_no_more_of_a_long_history_than_of_a_short_one(desk: Desk) -> None:
    for n in range(1, 400, 8):
        await desk.service.append("s", said(8, n))
        await desk.service.context("s")
        await desk.work()
        await desk.service.context("s")
    read = await desk.store.read_turn(desk.service.key("s"))
    assert read is not None
    assert read.head.length == 400
    assert len(read.entries) < 16


async def test_a_policy_with_another_tokenizer_has_the_session_counted_anew(desk: Desk) -> None:
    await desk.service.append("s", said(12))
    await desk.service.context("s")
    await desk.work()
    exact = Policy.parse(EAGER | {"tokenizer": "o200k_base"})
    await desk.service.update("s", policy=exact.json)
    turn = await desk.service.context("s")
    assert await audit(desk.store, desk.service.key("s"), desk.policy) == []
    index = MessageIndex(turn.messages, tokenizer=exact.tokenizer)
    assert turn.counts["tokens"] == index.included.tokens
    await desk.service.append("s", said(8, 13))
    await desk.work()
    assert await audit(desk.store, desk.service.key("s"), desk.policy) == []


async def test_calls_that_still_wait_are_named_and_shown_last(desk: Desk) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    await desk.service.append("s", [*said(1), {"role": "assistant", "content": None, "tool_calls": [call]}])
    waiting = await desk.service.context("s")
    await desk.service.append("s", [{"role": "tool", "tool_call_id": "c1", "content": "found"}])
    answered = await desk.service.context("s")
    assert (waiting.pending_tool_call_ids, len(waiting.messages)) == (["c1"], 2)
    assert (answered.pending_tool_call_ids, len(answered.messages)) == ([], 3)


async def test_what_a_provider_counts_beside_the_messages_counts_towards_token_triggers(store: SessionStore) -> None:
    desk = Desk(store, {"strategy": "summarization", "trigger": {"tokens_exceed": 10_000}, "min_source_tokens": 0})
    quiet = await desk.service.append("s", said(6))
    sent = quiet.counts["included"]["tokens"]
    loud = await desk.service.append("s", said(1, 7), usage={"prompt_tokens": sent + 9_900})
    assert quiet.job is None
    assert loud.job is not None


async def test_a_deleted_session_is_gone_with_all_that_came_of_it(desk: Desk) -> None:
    await desk.service.append("s", said(8), idempotency_key="k", digest="d")
    job_id = await desk.take()
    assert job_id is not None
    job = await desk.store.claim(job_id, "w", 60_000)
    assert job is not None
    await desk.store.keep_reply(desk.service.key("s"), job.incarnation, "digest", b"reply")
    await desk.service.delete("s")
    assert await desk.store.read_job(job_id) is None
    assert await desk.store.kept_reply(desk.service.key("s"), "digest") is None
    assert not await desk.store.renew(job, 1000)
    with pytest.raises(NotFound):
        await desk.service.context("s")
    assert (await desk.service.append("s", said(1), idempotency_key="k", digest="other")).first == 1


async def test_a_session_is_made_once(desk: Desk) -> None:
    session_id, head = await desk.service.create("s", metadata={"a": []})
    assert (session_id, head.metadata, head.length) == ("s", {"a": []}, 0)
    with pytest.raises(Conflict):
        await desk.service.create("s")


async def test_sessions_are_listed_by_last_activity_a_page_at_a_time(desk: Desk) -> None:
    for name in ("a", "b", "c", "d"):
        await desk.service.append(name, said(1))
    first = await desk.store.list_sessions("default", None, 3)
    rest = await desk.store.list_sessions("default", first[-1], 3)
    assert sorted(name for _, name in [*first, *rest]) == ["a", "b", "c", "d"]
    assert first == sorted(first, reverse=True)


async def test_tenants_do_not_meet(desk: Desk) -> None:
    other = desk.service.for_tenant("other{}:/x")
    await desk.service.append("s", said(1))
    await other.append("s", said(2))
    assert (await desk.service.session("s")).length == 1
    assert (await other.session("s")).length == 2
    assert [name for _, name in await desk.store.list_sessions("other{}:/x", None, 10)] == ["s"]
    await other.delete("s")
    assert (await desk.service.session("s")).length == 1


async def test_recently_active_sessions_of_all_tenants_are_found(desk: Desk) -> None:
    since = await desk.store.now_ms()
    await desk.service.append("s", said(1))
    await desk.service.for_tenant("other").append("t", said(1))
    found = [key async for batch in desk.store.recent_sessions(since) for key in batch]
    later = await desk.store.now_ms() + 10_000
    assert sorted(found) == [SessionKey("default", "s"), SessionKey("other", "t")]
    assert [batch async for batch in desk.store.recent_sessions(later)] == []


async def test_a_lock_is_held_by_one(desk: Desk) -> None:
    assert await desk.store.try_lock("poll", 10_000)
    assert not await desk.store.try_lock("poll", 10_000)
    assert await desk.store.try_lock("other", 10_000)
