"""About what a job will cost, read off the counts: no message is looked at."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import ceil

from turnfold.compaction.summarization import SMALLEST_SUMMARY_TOKENS, SummarizationStrategy
from turnfold.counts import Counts
from turnfold.policy import Policy
from turnfold.sessions.head import Head
from turnfold.sessions.held import unheld
from turnfold.sessions.index_state import live_counts
from turnfold.summaries.prompt import prompt_cost
from turnfold.triggers import Always

# The share that is folded is found in steps of one part of so many.
STEPS = 32


@dataclass(frozen=True, slots=True)
class Estimate:
    """Tokens that the summary model will read and write."""

    prompt_tokens: int
    completion_tokens: int

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True)
class _Left:
    """What a target is asked about: the counts as they were, and as they would be."""

    live: Counts
    included: Counts
    overhead_tokens: int


def estimated(policy: Policy, head: Head, step_number: int = 0) -> Estimate:
    """As if the groups were equally long: what the step folds until its target holds, or its floor is reached."""
    steps = policy.summarizations
    number = min(step_number, len(steps) - 1)
    step = steps[number] if steps else SummarizationStrategy(trigger=Always())
    live = unheld(live_counts(head.state), head.held)
    target = (policy.target_of(number) if steps else None) or step.target
    most = 1 - min(1.0, step.minimum_preserved / max(1, live.non_system_groups))
    shares = (most * n / STEPS for n in range(1, STEPS + 1))
    share = next((s for s in shares if target(_Left(live, _scaled(live, 1 - s), head.overhead_tokens))), most)
    return _of_sources(policy, step, int(live.tokens * share))


def estimated_anew(policy: Policy, tokens: int) -> Estimate:
    """Of a summary that is made again from sources of so many tokens."""
    steps = policy.summarizations
    return _of_sources(policy, steps[0] if steps else SummarizationStrategy(trigger=Always()), tokens)


def _of_sources(policy: Policy, step: SummarizationStrategy, tokens: int) -> Estimate:
    calls = ceil(tokens / step.max_summary_input_tokens) if step.max_summary_input_tokens else 1
    prompt = policy.tokenizer.count_tokens(prompt_cost(step.prompt))
    written = max(SMALLEST_SUMMARY_TOKENS, int(tokens * step.summary_ratio))
    return Estimate(tokens + max(1, calls) * prompt, written)


def _scaled(counts: Counts, share: float) -> Counts:
    scaled = Counts()
    for field in fields(Counts):
        if field.name != "turn_groups":
            setattr(scaled, field.name, int(getattr(counts, field.name) * share))
    return scaled
