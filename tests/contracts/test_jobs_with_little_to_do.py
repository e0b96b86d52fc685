"""A job that was asked for ends well, whatever the session is like."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.support.sessions import Desk, said
from tests.unit.engine.talk import turns
from turnfold import MessageIndex
from turnfold.errors import SummarizerTransient
from turnfold.jobs.retries import RetryPolicy
from turnfold.policy import Policy
from turnfold.sessions.job import Job
from turnfold.sessions.store import SessionStore
from turnfold.summaries.extractive import ExtractiveSummarizer
from turnfold.summaries.summarizer import SummaryReply, SummaryRequest
from turnfold.triggers import CountsView
from turnfold_workers.summarize import run_job

IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


@pytest.fixture
def desk(store: SessionStore) -> Desk:
    return Desk(store)


async def ended(desk: Desk, job: Job) -> Job:
    await desk.work()
    done = await desk.store.read_job(job.id)
    assert done is not None
    return done


async def test_a_forced_fold_of_next_to_nothing_succeeds_with_nothing_to_do(desk: Desk) -> None:
    await desk.service.append("s", [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}] * 2)

    job = await ended(desk, await desk.service.compact("s"))

    assert (job.state, job.reason, job.error) == ("succeeded", "nothing_to_do", "")


async def test_a_conversation_that_the_service_behind_the_model_keeps_is_not_folded(desk: Desk) -> None:
    await desk.service.create("s", service_session_id="resp_1")
    await desk.service.append("s", said(12))

    job = await ended(desk, await desk.service.compact("s"))

    assert (job.state, job.reason) == ("succeeded", "nothing_to_do")
    assert len((await desk.service.context("s")).messages) == 12


async def test_a_conversation_of_images_alone_is_folded_into_their_number(desk: Desk) -> None:
    await desk.service.append("s", [{"role": "user", "content": [IMAGE]} for _ in range(8)])

    await desk.work()

    assert "images: " in str((await desk.service.context("s")).messages[0]["content"])


class FailsOnce(ExtractiveSummarizer):
    """Out of reach at its first call."""

    def __init__(self) -> None:
        self.calls = 0

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        self.calls += 1
        if self.calls == 1:
            raise SummarizerTransient("down for a moment", retry_after_seconds=0)
        return await super().summarize(request)


async def test_a_job_that_succeeded_does_not_keep_the_error_of_an_earlier_try(desk: Desk) -> None:
    workshop = replace(desk.workshop, summarizer=FailsOnce(), retries=RetryPolicy(first_delay_seconds=0.001))
    await desk.service.append("s", said(8))
    job_id = await desk.take()
    assert job_id is not None
    await run_job(workshop, job_id)
    first = await desk.store.read_job(job_id)
    assert first is not None
    assert first.error == "down for a moment"
    while (job := await desk.store.read_job(job_id)) is not None and job.state == "retrying":
        await run_job(workshop, job_id)

    assert job is not None
    assert (job.state, job.error) == ("succeeded", "")


async def test_a_budget_is_for_the_messages_whatever_is_sent_beside_them(desk: Desk) -> None:
    """Learned overhead counts towards the policy's triggers, not towards a caller's budget."""
    await desk.service.append("s", said(2))
    # 100,000 tokens of tool schemas
    await desk.service.append("s", said(2, first=3), usage={"prompt_tokens": 100_000})

    turn = await desk.service.context("s", budget_tokens=10_000)

    assert len(turn.messages) == 4
    assert not turn.over_budget


def test_a_selection_asks_the_target_before_the_first_group() -> None:
    step: dict[str, Any] = {"strategy": "summarization", "trigger": "always", "target": {"messages_exceed": 0}}
    strategy = Policy.parse(step).summarizations[0]
    index = MessageIndex(turns(6))

    assert strategy.is_due(CountsView(index.live))
    assert strategy.select(index, bounded=False).reason == "nothing_to_do"
