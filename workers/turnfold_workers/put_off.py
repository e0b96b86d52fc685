"""Whether the sources of a job are folded now, or are left until there is more."""

from __future__ import annotations

from collections.abc import Sequence

from turnfold.compaction.selection import NOTHING_TO_DO
from turnfold.compaction.summarization import SMALLEST_SUMMARY_TOKENS
from turnfold.groups import MessageGroup
from turnfold.index import MessageIndex
from turnfold.jobs.estimate import Estimate
from turnfold.jobs.worth import Fold, is_worth_it
from turnfold.policy import Policy
from turnfold.sessions.job import Job
from turnfold.summaries.completed import pinned_tokens
from turnfold.summaries.prompt import prompt_cost
from turnfold.summaries.summarizer import SummaryRequest
from turnfold_workers.workshop import Workshop

TOO_LITTLE = "too_little_to_fold"
NOT_WORTH_IT = "not_worth_it"
# Twice the smallest summary: with less, whatever is written would hardly be shorter. Forced or not.
WORTH_FOLDING_TOKENS = 2 * SMALLEST_SUMMARY_TOKENS


def put_off(
    workshop: Workshop,
    job: Job,
    policy: Policy,
    *,
    index: MessageIndex,
    sources: Sequence[MessageGroup],
    request: SummaryRequest,
) -> tuple[str, int] | None:
    """Why these sources are not folded now, and by how many tokens the log should grow before the next try."""
    if request.source_tokens - pinned_tokens(request) < WORTH_FOLDING_TOKENS:
        return too_little(job), WORTH_FOLDING_TOKENS
    if job.forced or job.until:  # somebody wants it
        return None
    fold = _fold(policy, index, sources, request)
    if is_worth_it(fold, workshop.prices, workshop.worth_within_turns):
        return None
    return NOT_WORTH_IT, max(WORTH_FOLDING_TOKENS, request.source_tokens // 2)


def too_little(job: Job) -> str:
    """For who asked there is nothing to do; what was planned waits for more."""
    return NOTHING_TO_DO if job.forced else TOO_LITTLE


def _fold(policy: Policy, index: MessageIndex, sources: Sequence[MessageGroup], request: SummaryRequest) -> Fold:
    """What stands in the context behind the sources is read anew once: see `turnfold.jobs.worth`."""
    last = max(group.place for group in sources)
    prompt = policy.tokenizer.count_tokens(prompt_cost(request.prompt))
    return Fold(
        source_tokens=request.source_tokens,
        summary_tokens=request.max_tokens,
        behind_tokens=sum(group.token_count for group in index.groups if group.included and group.place > last),
        calls=Estimate(request.source_tokens + prompt, request.max_tokens),
    )
