"""What all workers may ask of one model: in a minute, at a time, by tenant, and while it is well."""

from __future__ import annotations

import pytest

from turnfold.sessions.provider import SLICE_MS, SLICES, Admission, ModelCall, ModelLimits, Outcome, Refusal
from turnfold.sessions.store import SessionStore

PER_MINUTE = ModelLimits(requests_per_minute=5)
TOKENS = ModelLimits(tokens_per_minute=1000)
FOUR_AT_A_TIME = ModelLimits(concurrency=4)


def call(
    tenant: str = "acme", *, tokens: int = 100, live: bool = True, model: str = "m", ms: int = 60_000
) -> ModelCall:
    return ModelCall(model=model, tenant=tenant, tokens=tokens, live=live, longest_ms=ms)


async def admitted(store: SessionStore, limits: ModelLimits, *calls: ModelCall) -> list[Refusal | None]:
    return [(await store.admit_call(one, limits)).refusal for one in calls]


async def ended(
    store: SessionStore, limits: ModelLimits, outcome: Outcome, *, tokens: int | None = None, pause_ms: int = 0
) -> Admission:
    """A call that is admitted, and has ended so."""
    one = call()
    admission = await store.admit_call(one, limits)
    assert admission.refusal is None
    await store.settle_call(one, limits, admission, outcome, tokens=tokens, pause_ms=pause_ms)
    return admission


async def test_without_limits_everything_is_admitted(store: SessionStore) -> None:
    assert set(await admitted(store, ModelLimits(), *(call(tokens=10**9) for _ in range(50)))) == {None}


async def test_no_more_requests_than_a_minute_allows_and_the_wait_is_told(store: SessionStore) -> None:
    assert await admitted(store, PER_MINUTE, *(call() for _ in range(5))) == [None] * 5

    refused = await store.admit_call(call(), PER_MINUTE)

    assert refused.refusal is Refusal.BUDGET
    # The window is at least a minute, and at most two slices more.
    assert 60_000 - 2 * SLICE_MS < refused.wait_ms <= SLICES * SLICE_MS
    assert await admitted(store, PER_MINUTE, call(model="another")) == [None]


async def test_a_call_that_ended_has_used_up_its_part_of_the_minute(store: SessionStore) -> None:
    for _ in range(5):
        await ended(store, PER_MINUTE, Outcome.ANSWERED)

    assert await admitted(store, PER_MINUTE, call()) == [Refusal.BUDGET]


async def test_tokens_are_counted_as_they_were_in_truth(store: SessionStore) -> None:
    await ended(store, TOKENS, Outcome.ANSWERED, tokens=950)

    assert await admitted(store, TOKENS, call(tokens=51), call(tokens=50)) == [Refusal.BUDGET, None]


async def test_a_call_larger_than_the_budget_is_made_alone(store: SessionStore) -> None:
    assert await admitted(store, TOKENS, call(tokens=5000), call(tokens=1)) == [None, Refusal.BUDGET]


async def test_a_part_of_each_budget_is_kept_for_live_jobs(store: SessionStore) -> None:
    sweeps = await admitted(store, PER_MINUTE, *(call(live=False) for _ in range(5)))

    assert sweeps == [None] * 4 + [Refusal.BUDGET]
    assert await admitted(store, PER_MINUTE, call(live=True)) == [None]


async def test_no_more_calls_at_a_time_and_an_ended_one_makes_room(store: SessionStore) -> None:
    first = call()
    admission = await store.admit_call(first, FOUR_AT_A_TIME)
    assert await admitted(store, FOUR_AT_A_TIME, *(call() for _ in range(4))) == [None] * 3 + [Refusal.BUSY]

    await store.settle_call(first, FOUR_AT_A_TIME, admission, Outcome.ANSWERED)

    assert await admitted(store, FOUR_AT_A_TIME, call()) == [None]


async def test_calls_of_a_worker_that_died_are_over_by_their_longest_time(store: SessionStore) -> None:
    await admitted(store, FOUR_AT_A_TIME, *(call(ms=0) for _ in range(4)))

    assert await admitted(store, FOUR_AT_A_TIME, call()) == [None]


async def test_a_tenant_has_no_more_calls_at_a_time_than_it_may(store: SessionStore) -> None:
    limits = ModelLimits(tenant_concurrency=2)

    assert await admitted(store, limits, call(), call(), call()) == [None, None, Refusal.BUSY]
    assert await admitted(store, limits, call("another")) == [None]


async def test_a_tenant_that_waits_gets_its_share_before_others_get_more(store: SessionStore) -> None:
    mine = [call("acme") for _ in range(4)]
    admissions = [await store.admit_call(one, FOUR_AT_A_TIME) for one in mine]
    assert [one.refusal for one in admissions] == [None] * 4  # nobody else wanted any
    assert await admitted(store, FOUR_AT_A_TIME, call("small")) == [Refusal.BUSY]

    await store.settle_call(mine[0], FOUR_AT_A_TIME, admissions[0], Outcome.ANSWERED)

    # One place is free; `acme` has more than its share of two, and `small` waits.
    assert await admitted(store, FOUR_AT_A_TIME, call("acme"), call("small")) == [Refusal.BUSY, None]


@pytest.mark.parametrize("tenant", ["a:b", "a", ":"])
async def test_tenants_are_told_apart_whatever_their_names_are(store: SessionStore, tenant: str) -> None:
    limits = ModelLimits(tenant_concurrency=1)

    assert await admitted(store, limits, call(tenant), call(tenant + ":b"), call(tenant)) == [None, None, Refusal.BUSY]


async def test_a_model_that_failed_again_and_again_is_left_alone(store: SessionStore) -> None:
    limits = ModelLimits(failures_to_open=3)
    for _ in range(3):
        await ended(store, limits, Outcome.FAILED)

    refused = await store.admit_call(call(), limits)

    assert refused.refusal is Refusal.OPEN
    assert 0 < refused.wait_ms <= limits.first_pause_ms


async def test_a_success_forgets_the_failures_before_it(store: SessionStore) -> None:
    limits = ModelLimits(failures_to_open=3)
    for outcome in (Outcome.FAILED, Outcome.FAILED, Outcome.ANSWERED, Outcome.FAILED, Outcome.FAILED):
        await ended(store, limits, outcome)

    assert await admitted(store, limits, call()) == [None]


async def test_after_the_pause_one_call_tries_it_and_the_others_wait_for_what_it_tells(store: SessionStore) -> None:
    limits = ModelLimits(failures_to_open=1, first_pause_ms=0)
    await ended(store, limits, Outcome.FAILED, pause_ms=1)
    trial = call()
    admission = await store.admit_call(trial, limits)
    while admission.refusal is not None:  # a millisecond
        admission = await store.admit_call(trial, limits)

    other = await store.admit_call(call(), limits)
    assert other.refusal is Refusal.OPEN
    assert other.wait_ms <= 1000  # and not as long as a call may take
    await store.settle_call(trial, limits, admission, Outcome.ANSWERED)
    assert await admitted(store, limits, call(), call()) == [None, None]


async def test_a_model_that_asks_to_be_left_alone_is(store: SessionStore) -> None:
    await ended(store, ModelLimits(), Outcome.FAILED, pause_ms=30_000)

    refused = await store.admit_call(call(), ModelLimits())

    assert refused.refusal is Refusal.OPEN
    assert 29_000 < refused.wait_ms <= 30_000
