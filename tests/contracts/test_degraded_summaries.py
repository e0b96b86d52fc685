"""A summary that the fallback wrote is made again by itself, once the model is back; not for ever."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.support.sessions import EAGER, Desk, said
from turnfold.errors import SummarizerRefused
from turnfold.jobs.retries import RetryPolicy
from turnfold.operations.sweeping import MAX_REMAKES, SweepRequest, sweep
from turnfold.sessions.job import JobState
from turnfold.sessions.store import SessionStore
from turnfold.summaries.summarizer import SummaryReply, SummaryRequest
from turnfold_workers.summarize import run_job

GOOD = "312 pallets left Esbjerg in the crate DK-99812 for Ana Brandt on 14 March."
ALL = SweepRequest()


class Model:
    """Refuses, until it is well."""

    name = "model"

    def __init__(self) -> None:
        self.is_well = False
        self.calls = 0

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        self.calls += 1
        if not self.is_well:
            raise SummarizerRefused("the model answered 400")
        return SummaryReply(text=GOOD, model="m", prompt_version="2")


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
async def desk(store: SessionStore, model: Model) -> Desk:
    """A session that shows a summary of the fallback's; a sweep may look at it at once."""
    desk = Desk(store, EAGER, model)
    desk.workshop = replace(desk.workshop, retries=RetryPolicy(first_cool_down_seconds=0))
    await desk.service.append("s", said(8))
    await desk.work()
    assert (await shown(desk))["degraded"]
    return desk


async def shown(desk: Desk) -> Any:
    """What the summary that is shown tells of itself."""
    read = await desk.store.read_live(desk.service.key("s"))
    assert read is not None
    (summary,) = [group for group in read.view.made if group.durable]
    return summary.messages[0].metadata


async def work_whatever_comes_of_it(desk: Desk) -> None:
    while (job_id := await desk.take()) is not None:
        await run_job(desk.workshop, job_id)


async def test_it_is_made_again_when_the_model_is_back(desk: Desk, model: Model) -> None:
    model.is_well = True

    report = await sweep(desk.service, ALL)
    await desk.work()

    assert (report.due, report.enqueued) == (1, 1)
    assert report.estimated_tokens > 0
    assert not (await shown(desk))["degraded"]
    assert (await sweep(desk.service, ALL)).due == 0


async def test_a_dry_run_tells_of_it_and_does_nothing(desk: Desk) -> None:
    report = await sweep(desk.service, SweepRequest(dry_run=True))

    assert (report.due, report.enqueued, await desk.take()) == (1, 0, None)
    assert (await sweep(desk.service, ALL)).enqueued == 1


async def test_two_sweeps_ask_for_one_job(desk: Desk) -> None:
    reports = [await sweep(desk.service, ALL) for _ in range(2)]

    assert [report.enqueued for report in reports] == [1, 0]
    jobs = await desk.store.list_jobs("default", None, 10)
    assert [job.state for job in jobs if not job.state.is_final] == [JobState.QUEUED]


async def test_while_the_model_is_ill_the_old_one_stays_and_it_ends_one_day(desk: Desk, model: Model) -> None:
    asked_before = model.calls
    for _ in range(MAX_REMAKES + 3):
        await sweep(desk.service, ALL)
        await work_whatever_comes_of_it(desk)

    dead = [job for job in await desk.store.list_jobs("default", None, 100) if job.state is JobState.DEAD]
    assert len(dead) == MAX_REMAKES
    assert model.calls == asked_before + MAX_REMAKES
    assert (await shown(desk))["degraded"]
    assert (await sweep(desk.service, ALL)).due == 0


async def test_the_first_look_waits_a_while(store: SessionStore, model: Model) -> None:
    desk = Desk(store, EAGER, model)
    await desk.service.append("s", said(8))
    await desk.work()

    assert (await sweep(desk.service, ALL)).due == 0


async def test_a_good_summary_is_left_alone(store: SessionStore, model: Model) -> None:
    model.is_well = True
    desk = Desk(store, EAGER, model)
    await desk.service.append("s", said(8))
    await desk.work()
    await store.look_later(desk.service.key("s"), 0)

    assert (await sweep(desk.service, ALL)).due == 0
