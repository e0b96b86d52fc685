"""Whether and when a failed job is tried again, by the kind of its failure."""

from __future__ import annotations

import pytest

from turnfold.errors import FailureKind
from turnfold.jobs.retries import RetryPolicy, RetryRule

POLICY = RetryPolicy()
SPREAD = 1.25


def total_delay(kind: FailureKind) -> float:
    """How long a job whose every try fails so lives on, at least."""
    return sum(POLICY.decide(tries=n, kind=kind).delay_seconds or 0 for n in range(1, POLICY.rule_of(kind).max_tries))


def test_what_is_refused_for_good_is_not_tried_again() -> None:
    assert (POLICY.decide(tries=1, kind=None).delay_seconds, POLICY.decide(tries=1, kind=None).reason) == (
        None,
        "refused",
    )


@pytest.mark.parametrize("kind", [FailureKind.RATE_LIMITED, FailureKind.UNREACHABLE])
def test_what_costs_nothing_outlives_ten_minutes(kind: FailureKind) -> None:
    assert total_delay(kind) > 600


@pytest.mark.parametrize("kind", [FailureKind.TIMED_OUT, FailureKind.BROKEN])
def test_what_may_have_been_paid_is_tried_six_times(kind: FailureKind) -> None:
    assert POLICY.decide(tries=5, kind=kind).delay_seconds is not None
    ended = POLICY.decide(tries=6, kind=kind)
    assert (ended.delay_seconds, ended.reason) == (None, "gave up after 6 tries")


def test_delays_double_are_spread_and_bounded() -> None:
    rule = POLICY.rule_of(FailureKind.BROKEN)
    drawn = [[POLICY.decide(tries=n, kind=FailureKind.BROKEN).delay_seconds or 0 for _ in range(50)] for n in (1, 2, 5)]
    for tries, delays in zip((1, 2, 5), drawn, strict=True):
        middle = min(rule.longest_delay_seconds, rule.first_delay_seconds * 2 ** (tries - 1))
        assert middle * 0.75 <= min(delays) < max(delays) <= middle * SPREAD
    late = POLICY.decide(tries=39, kind=FailureKind.RATE_LIMITED).delay_seconds
    assert late is not None
    assert late <= POLICY.rule_of(FailureKind.RATE_LIMITED).longest_delay_seconds


def test_a_server_that_says_when_to_come_back_is_heard_up_to_the_longest_delay() -> None:
    asked = POLICY.decide(tries=1, kind=FailureKind.RATE_LIMITED, retry_after_seconds=30)
    assert asked.delay_seconds == 30
    too_late = POLICY.decide(tries=1, kind=FailureKind.RATE_LIMITED, retry_after_seconds=9999)
    assert too_late.delay_seconds == POLICY.rule_of(FailureKind.RATE_LIMITED).longest_delay_seconds


@pytest.mark.parametrize("kind", list(FailureKind))
def test_age_ends_every_kind(kind: FailureKind) -> None:
    ended = POLICY.decide(tries=1, kind=kind, age_seconds=POLICY.max_age_seconds)
    assert (ended.delay_seconds, ended.reason) == (None, "gave up after 6.0 hours")


def test_what_was_not_tried_is_not_counted() -> None:
    assert POLICY.decide(tries=1000, kind=FailureKind.DEFERRED, retry_after_seconds=7).delay_seconds == 7


def test_rules_are_values() -> None:
    policy = RetryPolicy(
        rules={FailureKind.BROKEN: RetryRule(max_tries=1, first_delay_seconds=1, longest_delay_seconds=1)}
    )
    assert policy.decide(tries=1, kind=FailureKind.BROKEN).delay_seconds is None
    assert policy.decide(tries=2, kind=FailureKind.RATE_LIMITED).delay_seconds is not None
