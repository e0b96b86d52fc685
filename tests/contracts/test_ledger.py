"""What a tenant's summaries cost, and what they saved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.support.sessions import EAGER, Desk, said
from turnfold.audit import audit
from turnfold.jobs.prices import Prices
from turnfold.sessions.job import JobState
from turnfold.sessions.ledger import Ledger
from turnfold.sessions.store import SessionStore
from turnfold.summaries.summarizer import SummaryReply, SummaryRequest
from turnfold_workers.summarize import run_job

PRICES = Prices(summary_input=2.0, summary_output=8.0)
COST = (1000 * 2.0 + 100 * 8.0) / 1_000_000


class Model:
    """Its replies cost something."""

    name = "model"

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        text = "The crate DK-99812 left Esbjerg with 312 pallets for Ana Brandt."
        return SummaryReply(text=text, model="m", prompt_version="2", prompt_tokens=1000, completion_tokens=100)


@pytest.fixture
def desk(store: SessionStore) -> Desk:
    made = Desk(store, summarizer=Model())
    made.workshop = replace(made.workshop, prices=PRICES)
    return made


async def test_a_tenant_that_did_nothing_has_an_empty_ledger(desk: Desk) -> None:
    assert await desk.store.ledger("default") == Ledger()


async def test_a_summary_is_booked_with_its_tokens_and_its_cost(desk: Desk) -> None:
    await desk.service.append("s", said(8))
    await desk.work()

    ledger = await desk.store.ledger("default")
    (job,) = await desk.store.list_jobs("default", None, 10)
    assert (ledger.summaries, ledger.prompt_tokens, ledger.completion_tokens) == (1, 1000, 100)
    assert ledger.cost == pytest.approx(COST)
    assert job.cost == pytest.approx(COST)
    assert job.public()["cost"] == pytest.approx(COST)


async def test_each_context_saves_what_the_summaries_stand_for(desk: Desk) -> None:
    await desk.service.append("s", said(8))
    before = await desk.service.context("s")
    await desk.work()
    after = await desk.service.context("s")
    await desk.service.context("s")

    ledger = await desk.store.ledger("default")
    assert ledger.contexts == 3
    assert ledger.folded_tokens == 2 * (before.counts["tokens"] - after.counts["tokens"])
    assert ledger.hidden_tokens == 0


async def test_what_inline_steps_hid_is_told_apart(store: SessionStore) -> None:
    step: dict[str, Any] = {"strategy": "truncation", "max_messages": 4, "compact_to": 4}
    desk = Desk(store, step)
    await desk.service.append("s", said(8))
    for _ in range(2):
        await desk.service.context("s")
    turn = await desk.service.context("s")

    head = await desk.service.session("s")
    ledger = await store.ledger("default")
    hidden = head.state["all"]["tokens"] - turn.counts["tokens"]
    assert (ledger.folded_tokens, ledger.hidden_tokens) == (0, 2 * hidden)  # the first context found nothing hidden yet


async def test_an_audit_is_no_context(desk: Desk) -> None:
    await desk.service.append("s", said(8))
    await audit(desk.store, desk.service.key("s"), desk.policy)
    assert (await desk.store.ledger("default")).contexts == 0


async def test_a_reply_is_paid_for_once_even_if_its_commit_is_lost(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    await desk.service.append("s", said(8))
    job_id = (await desk.service.session("s")).pending_job

    async def lost(*_: object) -> None:
        raise RuntimeError

    with monkeypatch.context() as moment:
        moment.setattr(desk.store, "commit", lost)
        await run_job(desk.workshop, job_id)
    job = await desk.store.read_job(job_id)
    assert job is not None
    assert job.state is JobState.RETRYING
    await desk.store.revive(job)
    await run_job(desk.workshop, job_id)

    ledger = await desk.store.ledger("default")
    assert (ledger.summaries, ledger.prompt_tokens) == (1, 1000)


async def test_what_was_paid_for_an_erased_session_stays_booked(desk: Desk) -> None:
    await desk.service.append("s", said(8))
    await desk.work()
    await desk.service.delete("s")
    assert (await desk.store.ledger("default")).prompt_tokens == 1000


async def test_tenants_have_ledgers_of_their_own(desk: Desk) -> None:
    other = desk.service.for_tenant("other")
    for n in range(12):  # in several shards
        await other.append(f"s{n}", said(2))
        await other.context(f"s{n}")
    assert (await desk.store.ledger("other")).contexts == 12
    assert await desk.store.ledger("default") == Ledger()


async def test_an_extractive_summary_costs_nothing(store: SessionStore) -> None:
    desk = Desk(store, EAGER)
    desk.workshop = replace(desk.workshop, prices=PRICES)
    await desk.service.append("s", said(8))
    await desk.work()
    ledger = await store.ledger("default")
    assert (ledger.summaries, ledger.prompt_tokens, ledger.cost) == (1, 0, 0)
