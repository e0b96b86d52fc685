"""When a failed job is tried again: numbers are the policy, when and why is the decision."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from turnfold.errors import FailureKind


@dataclass(frozen=True, slots=True)
class RetryDecision:
    """`delay_seconds` until the next try; None: there is none, for `reason`."""

    delay_seconds: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryRule:
    """
    Attributes:
        max_tries: of one job.
        first_delay_seconds: doubled from try to try, up to `longest_delay_seconds`, and spread by a quarter.
    """

    max_tries: int
    first_delay_seconds: float
    longest_delay_seconds: float


RULES: Mapping[FailureKind, RetryRule] = MappingProxyType(
    {
        # Nothing was paid, and nothing is wrong with the job: it waits for its turn, half an hour and more.
        FailureKind.RATE_LIMITED: RetryRule(max_tries=40, first_delay_seconds=2.0, longest_delay_seconds=60.0),
        # Nothing was paid either: a server under maintenance is back in minutes.
        FailureKind.UNREACHABLE: RetryRule(max_tries=14, first_delay_seconds=1.0, longest_delay_seconds=120.0),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """
    Attributes:
        max_tries, first_delay_seconds, longest_delay_seconds: for failures without a rule of their own, see
            `RetryRule`. A job that lost so many workers is not tried again either.
        rules: by the kind of failure.
        max_age_seconds: a job that is so old, counted from its first try, is not tried again.
        least_growth_tokens: after a death the log grows at least so much before a job is planned again …
        first_cool_down_seconds: … or so much time passes, doubled from death to death, up to the longest.
    """

    max_tries: int = 6
    first_delay_seconds: float = 1.0
    longest_delay_seconds: float = 120.0
    rules: Mapping[FailureKind, RetryRule] = field(default_factory=lambda: RULES)
    max_age_seconds: float = 6 * 3600.0
    least_growth_tokens: int = 1000
    first_cool_down_seconds: float = 600.0
    longest_cool_down_seconds: float = 24 * 3600.0

    def decide(
        self,
        *,
        tries: int,
        kind: FailureKind | None,
        retry_after_seconds: float | None = None,
        age_seconds: float = 0.0,
    ) -> RetryDecision:
        """After the `tries`th try failed; `kind` None: for good. A server that says when to come back is heard."""
        if kind is None:
            return RetryDecision(None, "refused")
        if age_seconds >= self.max_age_seconds:
            return RetryDecision(None, f"gave up after {age_seconds / 3600:.1f} hours")
        if kind is FailureKind.DEFERRED:  # nothing was tried
            return RetryDecision(retry_after_seconds or self.first_delay_seconds)
        rule = self.rule_of(kind)
        if tries >= rule.max_tries:
            return RetryDecision(None, f"gave up after {tries} tries")
        backoff = min(rule.longest_delay_seconds, rule.first_delay_seconds * 2.0 ** min(tries - 1, 64))
        delay = backoff * random.uniform(0.75, 1.25)  # spread, no secret
        return RetryDecision(min(rule.longest_delay_seconds, max(delay, retry_after_seconds or 0.0)))

    def rule_of(self, kind: FailureKind) -> RetryRule:
        """The kind's own rule, or the one for all others."""
        return self.rules.get(kind) or RetryRule(
            max_tries=self.max_tries,
            first_delay_seconds=self.first_delay_seconds,
            longest_delay_seconds=self.longest_delay_seconds,
        )

    def growth_after_death(self, tokens: int) -> int:
        """By how many tokens the log grows before the next plan: half as much again."""
        return max(self.least_growth_tokens, tokens // 2)

    def cool_down_seconds(self, deaths: int) -> float:
        """After how long a sweep plans a job again, where `deaths` of them died one after the other."""
        return min(self.longest_cool_down_seconds, self.first_cool_down_seconds * 2.0 ** (min(deaths, 64) - 1))
