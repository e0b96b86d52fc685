"""When a failed job is tried again: numbers are the policy, when and why is the decision."""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RetryDecision:
    """`delay_seconds` until the next try; None: there is none, for `reason`."""

    delay_seconds: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """
    Attributes:
        max_tries: claims of one job, lost leases among them.
        first_delay_seconds: doubled from try to try, up to `longest_delay_seconds`, and spread by a quarter.
        least_growth_tokens: after a death the log grows at least so much before a job is planned again …
        first_cool_down_seconds: … or so much time passes, doubled from death to death, up to the longest.
    """

    max_tries: int = 6
    first_delay_seconds: float = 1.0
    longest_delay_seconds: float = 120.0
    least_growth_tokens: int = 1000
    first_cool_down_seconds: float = 600.0
    longest_cool_down_seconds: float = 24 * 3600.0

    def decide(self, *, tries: int, is_transient: bool, retry_after_seconds: float | None) -> RetryDecision:
        """After the `tries`th try failed. A server that says when to come back is heard."""
        if not is_transient:
            return RetryDecision(None, "refused")
        if tries >= self.max_tries:
            return RetryDecision(None, f"gave up after {tries} tries")
        backoff = min(self.longest_delay_seconds, self.first_delay_seconds * 2 ** (tries - 1))
        delay = backoff * random.uniform(0.75, 1.25)  # spread, no secret
        return RetryDecision(min(self.longest_delay_seconds, max(delay, retry_after_seconds or 0.0)))

    def growth_after_death(self, tokens: int) -> int:
        """By how many tokens the log grows before the next plan: half as much again."""
        return max(self.least_growth_tokens, tokens // 2)

    def cool_down_seconds(self, deaths: int) -> float:
        """After how long a sweep plans a job again, where `deaths` of them died one after the other."""
        return min(self.longest_cool_down_seconds, self.first_cool_down_seconds * 2.0 ** (min(deaths, 64) - 1))
