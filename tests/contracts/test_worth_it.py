"""A summary that would cost more than it saves is put off, where that is asked for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.sessions import Desk, said
from turnfold.jobs.estimate import Estimate
from turnfold.jobs.prices import FREE, Prices
from turnfold.jobs.worth import Fold, balance, is_worth_it
from turnfold.sessions.job import Job
from turnfold.sessions.store import SessionStore

FOLD = Fold(source_tokens=8000, summary_tokens=800, behind_tokens=4000, calls=Estimate(8000, 800))
# A million tokens: the small model 0.25 and 2, the large one 1.25, and a tenth of that from its cache.
PRICES = Prices(summary_input=0.25, summary_output=2.0, context_input=1.25, context_cached=0.125)
UNCACHED = replace(PRICES, context_cached=0.0)
DEAR = Prices(summary_input=1000.0, context_input=1.0)


def test_the_balance_is_what_a_hand_finds() -> None:
    # 5 contexts × 7,200 tokens × 0.125, less 4,800 × (1.25 − 0.125) read anew, less 8,000 × 0.25 + 800 × 2
    assert balance(FOLD, PRICES, 5) == pytest.approx((4500 - 5400 - 3600) / 1_000_000)
    assert balance(FOLD, UNCACHED, 5) == pytest.approx((45_000 - 0 - 3600) / 1_000_000)


def test_a_cache_that_breaks_can_make_the_difference() -> None:
    assert not is_worth_it(FOLD, PRICES, 5)
    assert is_worth_it(FOLD, UNCACHED, 5)
    assert is_worth_it(FOLD, PRICES, 20)


@pytest.mark.parametrize(("prices", "turns"), [(FREE, 5), (DEAR, 0), (replace(DEAR, context_input=0.0), 5)])
def test_without_prices_or_turns_there_is_nothing_to_weigh(prices: Prices, turns: int) -> None:
    assert is_worth_it(FOLD, prices, turns)


async def folded(store: SessionStore, prices: Prices, *, forced: bool = False) -> Job:
    """The job of a session that is due, once it has run."""
    desk = Desk(store)
    desk.workshop = replace(desk.workshop, prices=prices, worth_within_turns=10)
    if forced:
        await desk.service.append("s", said(5))
        await desk.service.compact("s")
    else:
        await desk.service.append("s", said(8))
    await desk.work()
    (job,) = await store.list_jobs("default", None, 10)
    return job


async def test_it_is_put_off_until_the_log_has_grown(store: SessionStore) -> None:
    job = await folded(store, DEAR)

    assert (job.reason, job.summary_id) == ("not_worth_it", "")
    service = Desk(store).service
    small = await service.append("s", said(1, 9))
    large = await service.append("s", said(12, 10))
    assert (small.job, large.job is not None) == (None, True)


async def test_what_pays_is_folded(store: SessionStore) -> None:
    assert (await folded(store, replace(DEAR, summary_input=0.001))).summary_id


async def test_who_asks_for_it_gets_it(store: SessionStore) -> None:
    assert (await folded(store, DEAR, forced=True)).summary_id
