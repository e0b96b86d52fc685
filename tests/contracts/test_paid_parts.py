"""A job that is read in parts: a part that fails costs no other part a second call, and each is booked once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.support.sessions import EAGER, Desk, said
from turnfold.errors import FailureKind, SummarizerTransient
from turnfold.jobs.prices import Prices
from turnfold.jobs.retries import RetryPolicy
from turnfold.sessions.job import JobState
from turnfold.sessions.store import SessionStore
from turnfold.summaries.summarizer import SummaryReply, SummaryRequest
from turnfold_workers.summarize import run_job

IN_PARTS: dict[str, Any] = {
    **EAGER["strategies"][0],
    "trigger": {"messages_exceed": 30},
    "max_summary_input_tokens": 1500,
}
AT_ONCE = RetryPolicy(first_delay_seconds=0, longest_delay_seconds=0)


class Failing:
    """Fails at one call, by its number; else it writes, and tells what that cost."""

    name = "model"

    def __init__(self, fails_at: int) -> None:
        self.fails_at = fails_at
        self.calls = self.answered = 0

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        self.calls += 1
        if self.calls == self.fails_at:
            raise SummarizerTransient("busy", kind=FailureKind.BROKEN)
        self.answered += 1
        text = f"Part {self.calls}: the crate DK-99812 left Esbjerg on 14 March with 312 pallets for Ana Brandt."
        return SummaryReply(text=text, model="m", prompt_version="2", prompt_tokens=100, completion_tokens=10)


async def folded(store: SessionStore, model: Failing) -> tuple[Desk, Any]:
    """A desk at which a backlog was folded, and the job."""
    desk = Desk(store, IN_PARTS, model)
    desk.workshop = replace(desk.workshop, retries=AT_ONCE, prices=Prices(summary_input=1.0))
    for first in (1, 21):
        await desk.service.append("s", said(20, first))
    job_id = await desk.take() or ""
    for _ in range(3):
        await run_job(desk.workshop, job_id)
    job = await store.read_job(job_id)
    assert job is not None
    return desk, job


@pytest.mark.parametrize("later", [2, 3])
async def test_a_later_part_that_fails_costs_one_call_more(store: SessionStore, later: int) -> None:
    _, smooth = await folded(store, whole := Failing(0))
    assert smooth.state is JobState.SUCCEEDED
    assert whole.calls > 3
    await store.delete(smooth.key)

    desk, job = await folded(store, model := Failing(later))

    assert (job.state, job.tries) == (JobState.SUCCEEDED, 2)
    assert model.calls == whole.calls + 1
    assert job.prompt_tokens == 100 * model.answered
    ledger = await desk.store.ledger("default")
    assert ledger.prompt_tokens == 100 * (model.answered + whole.answered)
    assert ledger.completion_tokens == 10 * (model.answered + whole.answered)
