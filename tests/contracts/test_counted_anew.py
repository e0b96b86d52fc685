"""Sessions that were counted with another tokenizer than the policy that is in force now."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.support.sessions import EAGER, Desk, said
from turnfold.audit import audit
from turnfold.policy import Policy
from turnfold.sessions.session_key import SessionKey
from turnfold.sessions.store import Read, SessionStore
from turnfold.summaries.extractive import ExtractiveSummarizer
from turnfold.summaries.summarizer import SummaryReply, SummaryRequest
from turnfold_workers.sweeps import plan_due_sessions

# One token a character or so, where the estimate is a quarter of that.
CHINESE = [{"role": "user", "content": "货物已经从埃斯比约港运出并送往奥斯陆" * 8} for _ in range(6)]
ESTIMATED = EAGER | {"tokenizer": "estimate"}
EXACT = EAGER | {"tokenizer": "o200k_base"}


def above(tokens: int, tokenizer: str) -> Policy:
    """Folds above so many tokens."""
    step = {"strategy": "summarization", "trigger": {"tokens_exceed": tokens}, "min_source_tokens": 0}
    return Policy.parse(step | {"tokenizer": tokenizer})


async def counted_by(desk: Desk, name: str) -> str:
    return str((await desk.service.session(name)).state["tokenizer"])


async def test_an_audit_by_a_service_with_another_tokenizer_finds_nothing_wrong(store: SessionStore) -> None:
    # given
    desk = Desk(store, ESTIMATED)
    await desk.service.append("s", said(12))
    await desk.service.context("s")
    await desk.work()
    before = await desk.service.session("s")

    # then
    assert await audit(store, desk.service.key("s"), Policy.parse(EXACT)) == []
    assert await desk.service.session("s") == before, "an audit changes nothing"


async def test_an_audit_right_after_the_policy_was_changed_finds_nothing_wrong(store: SessionStore) -> None:
    # given
    desk = Desk(store, ESTIMATED)
    await desk.service.append("s", said(12))
    await desk.work()

    # when
    await desk.service.update("s", policy=Policy.parse(EXACT).json)

    # then
    assert await audit(store, desk.service.key("s"), desk.policy) == []


async def test_a_sweep_finds_what_is_due_by_the_tokenizer_of_its_policy(store: SessionStore) -> None:
    # given: 216 tokens by the estimate, far more by the count
    desk = Desk(store, above(300, "estimate").to_dict())
    await desk.service.append("s", CHINESE)
    exact = above(300, "o200k_base")

    # when
    planned = [await plan_due_sessions(store, desk.queue, policy, since_ms=0) for policy in (desk.policy, exact)]

    # then
    assert planned == [0, 1]
    assert await counted_by(desk, "s") == "o200k_base"
    assert await audit(store, desk.service.key("s"), exact) == []


async def test_a_sweep_plans_nothing_that_only_the_other_tokenizer_makes_due(store: SessionStore) -> None:
    # given: not planned yet, since the policy that would have it came later
    desk = Desk(store, above(10_000, "o200k_base").to_dict())
    await desk.service.append("s", CHINESE)

    # when
    planned = await plan_due_sessions(store, desk.queue, above(300, "estimate"), since_ms=0)

    # then
    assert (planned, await counted_by(desk, "s")) == (0, "estimate")


class Interrupted(ExtractiveSummarizer):
    """While it writes, something else happens."""

    def __init__(self) -> None:
        self.meanwhile: Callable[[], Awaitable[object]] | None = None

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        if self.meanwhile is not None:
            await self.meanwhile()
        return await super().summarize(request)


@pytest.mark.parametrize("speaks", [True, False])
async def test_a_policy_with_another_tokenizer_may_come_while_a_summary_is_made(
    store: SessionStore, *, speaks: bool
) -> None:
    # given
    summarizer = Interrupted()
    desk = Desk(store, ESTIMATED, summarizer)
    await desk.service.append("s", said(8))

    async def change_the_policy() -> None:
        await desk.service.update("s", policy=Policy.parse(EXACT).json)
        if speaks:
            await desk.service.append("s", said(1, 9))

    summarizer.meanwhile = change_the_policy

    # when
    await desk.work()

    # then
    assert await audit(store, desk.service.key("s"), desk.policy) == []
    assert await counted_by(desk, "s") == "o200k_base"
    turn = await desk.service.context("s")
    assert turn.messages[0]["content"].startswith("[Summary]")


async def test_a_turn_is_counted_by_the_policy_that_the_session_has_when_it_is_read(
    store: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given: while a turn has the session counted anew, the policy is changed back, and somebody speaks
    policy: dict[str, Any] = {"strategy": "truncation", "max_messages": 4}
    desk, other = Desk(store, policy), Desk(store, policy)
    await desk.service.append("s", said(12))
    await desk.service.update("s", policy=Policy.parse(policy | {"tokenizer": "o200k_base"}).json)
    read_turn, reads = store.read_turn, 0

    async def interrupted(key: SessionKey, *, served: bool = False) -> Read | None:
        nonlocal reads
        reads += 1
        if reads == 2:
            await other.service.update("s", policy=desk.policy.json)
            await other.service.append("s", said(1, 13))
        return await read_turn(key, served=served)

    monkeypatch.setattr(store, "read_turn", interrupted)

    # when
    await desk.service.context("s")

    # then
    assert reads > 1
    assert await audit(store, desk.service.key("s"), desk.policy) == []


async def test_an_append_is_counted_by_the_policy_that_the_session_has_when_it_is_written(
    store: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given: while an append has the session counted anew, the policy is changed back
    desk, other = Desk(store, EAGER), Desk(store, EAGER)
    await desk.service.append("s", said(3))
    await other.service.update("s", policy=Policy.parse(EXACT).json)
    read_log, reads = store.read_log, 0

    async def interrupted(key: SessionKey, after: int, limit: int) -> Read | None:
        nonlocal reads
        found, reads = await read_log(key, after, limit), reads + 1
        if reads == 1:
            await other.service.update("s", policy=desk.policy.json)
        return found

    monkeypatch.setattr(store, "read_log", interrupted)

    # when
    await other.service.append("s", said(1, 4))

    # then
    assert reads > 0
    monkeypatch.undo()
    assert await audit(store, desk.service.key("s"), desk.policy) == []
    assert await counted_by(desk, "s") == "estimate"
