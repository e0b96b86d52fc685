"""A summary made again from its originals: the old one shows until the new one has passed the gate and landed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from turnfold.compaction.summarization import SMALLEST_SUMMARY_TOKENS, SummarizationStrategy
from turnfold.content import text_fields
from turnfold.groups import MessageGroup
from turnfold.index import MessageIndex
from turnfold.sessions.chain import Records, chain_under, positions_under
from turnfold.sessions.held import Held
from turnfold.sessions.job import Job
from turnfold.sessions.session_key import SessionKey
from turnfold.sessions.store import SessionStore
from turnfold.summaries.summarizer import SummaryRequest
from turnfold_workers.originals import messages_at

# A text may be so much longer than was asked for, and no more, however long the originals are.
SPARE_FACTOR = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilding:
    """What is replaced, what the summarizer is asked for, and by which step of the policy."""

    step: SummarizationStrategy
    sources: tuple[MessageGroup, ...]
    request: SummaryRequest


def to_rebuild(index: MessageIndex, held: Held) -> tuple[MessageGroup, ...]:
    """The oldest summaries that stand side by side, with what was unfolded among them; empty where there are none."""
    wanted: list[MessageGroup] = []
    between: list[MessageGroup] = []
    for group in index.groups:
        if group.is_system or not group.is_live:
            continue
        if group.durable or held.has(group):
            wanted += [*between, group] if wanted else [group]
            between = []
        elif group.included:
            if wanted:
                break
        else:  # calls without results, and the like: hidden, but not lost
            between.append(group)
    return tuple(wanted)


async def rebuilding(
    store: SessionStore, job: Job, index: MessageIndex, step: SummarizationStrategy, groups: Sequence[MessageGroup]
) -> Rebuilding:
    """The groups' originals, and a request for one summary of them, with the job's own prompt and model."""
    records = await store.summaries(job.key)
    summaries = [group.id for group in groups if group.durable]
    positions = {*positions_under(records, summaries), *(p for group in groups for p in group.positions)}
    originals = await _with_messages(store, job.key, sorted(positions), step.request(index, tuple(groups)))
    request = replace(
        originals,
        prompt=job.with_prompt or originals.prompt,
        model=job.with_model or originals.model,
        max_tokens=min(_wanted_tokens(records, summaries, groups, step), originals.source_tokens - 1),
    )
    most = max(SPARE_FACTOR * request.max_tokens, sum(group.token_count for group in groups))
    return Rebuilding(
        step=step, sources=tuple(groups), request=replace(request, source_tokens=min(request.source_tokens, most))
    )


async def _with_messages(
    store: SessionStore, key: SessionKey, positions: Sequence[int], request: SummaryRequest
) -> SummaryRequest:
    messages = await messages_at(store, key, positions)
    tokens = sum(request.count_tokens(text) for message in messages for text in text_fields(message))
    return replace(request, messages=messages, earlier=(), source_tokens=max(2, tokens))


def _wanted_tokens(
    records: Records, summaries: Sequence[str], groups: Sequence[MessageGroup], step: SummarizationStrategy
) -> int:
    """As much as was asked for when the largest of the summaries was made: so it stays, however often it is rebuilt."""
    folded = [int(records[name]["source_tokens"]) for name in chain_under(records, summaries)]
    unfolded = sum(group.token_count for group in groups if not group.durable)
    return max(SMALLEST_SUMMARY_TOKENS, int(max([*folded, unfolded]) * step.summary_ratio))
