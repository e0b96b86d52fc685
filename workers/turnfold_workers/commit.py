"""Landing a summary: worked out on the session as it is, and again if it moves meanwhile.

New messages never make a summary stale: the write is worked out again on the newer head, without another call of the
model. A source that has got a late result since it was read stays out: the summary does not tell of that result.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from turnfold import telemetry
from turnfold.compaction.selection import NOTHING_TO_DO
from turnfold.compaction.summary_group import summary_group
from turnfold.groups import MessageGroup, Reason
from turnfold.index import MessageIndex
from turnfold.jobs.planning import plan
from turnfold.jobs.prices import FREE, Prices
from turnfold.policy import Policy
from turnfold.provenance import Owner, Signer, sources_digest
from turnfold.sessions.head import Head
from turnfold.sessions.held import held_counts
from turnfold.sessions.index_state import state_after
from turnfold.sessions.job import Job, JobState
from turnfold.sessions.recount import is_counted_by, policy_of, recounted
from turnfold.sessions.restore import restore_live
from turnfold.sessions.store import CommitWrite, Read, SessionStore, Stale
from turnfold.sessions.view_of import view_after_commit
from turnfold.summaries.summarizer import SummaryReply

log = telemetry.logger(__name__)
# Two writers in step get out of step.
JITTER_SECONDS = 0.002


@dataclass(frozen=True, slots=True, kw_only=True)
class Landing:
    """A reply that passed the gate, and what it was made from; `policy` rules where the session has none of its own.

    `pins` are those that the session had then: with others, the summary must be completed anew.
    """

    job: Job
    policy: Policy
    reply: SummaryReply
    sources: Sequence[MessageGroup]
    pins: tuple[int | str, ...] = ()
    signer: Signer = field(default_factory=Signer)
    prices: Prices = FREE


class PinsMoved(Exception):
    """A pin was set or taken back since the summary was made; nothing was written."""


async def land(store: SessionStore, landing: Landing, read: Read | None) -> Job | None:
    """Commits the summary, or finds out that another claim rules. Returns the job that is due next, if one is.

    Raises:
        PinsMoved: the session has other pins than those that the summary was made with.
    """
    job = landing.job
    while read is not None and read.head.incarnation == job.incarnation:
        if tuple(read.head.pins) != landing.pins:
            raise PinsMoved
        policy = policy_of(read.head, landing.policy)
        if not is_counted_by(read.head, policy):  # it was given another policy meanwhile
            await recounted(store, job.key, read.head, landing.policy)
            read = await store.read_live(job.key)
            continue
        if read.head.service_session_id:  # the service behind the model took it over meanwhile
            await _end(store, job, read, JobState.SUCCEEDED, NOTHING_TO_DO)
            return None
        write = _write(replace(landing, policy=policy), read)
        if write is None:
            await _end(store, job, read, JobState.SUPERSEDED, "sources_changed")
            return None
        answer = await store.commit(job.key, write)
        if not isinstance(answer, Stale):
            outcome = telemetry.JOB_COMMITTED if answer else telemetry.JOB_SUPERSEDED
            log.info(outcome, **job.log_context(), summary=write.job.summary_id)
            return write.next_job if answer else None
        await asyncio.sleep(random.uniform(0, JITTER_SECONDS))
        read = await store.read_live(job.key)
    return None


async def _end(store: SessionStore, job: Job, read: Read, state: JobState, reason: str) -> None:
    """The job is over without a summary."""
    at = int(read.head.state["all"]["tokens"])
    await store.finish(job, state, reason=reason, error="", plan_at_tokens=at)


def _write(landing: Landing, read: Read) -> CommitWrite | None:
    """The commit on the session as it was read; None where too little of what was summarized is still as it was."""
    index = restore_live(read.view, read.entries, read.head, landing.policy.tokenizer)
    sources = _unchanged(index, landing.sources)
    if not _has_news(sources, landing.sources) or _lacks_a_summary(sources, landing.sources):
        return None
    made = summary_group(index, sources, landing.reply, summary_id=f"summary-{landing.job.id}")
    job = replace(_result(landing, made, sources), late=_turn(read.head) > landing.job.turn)
    record = _record(job, made, sources, read, landing)
    index.replace(sources, made, "summarization")
    for group in sources:
        group.reason = "summarization" if group.reason == Reason.DANGLING else group.reason
    covered = [*read.view.covered, *(position for group in sources for position in group.positions)]
    state, open_end = state_after(index, read.head.state)
    held = held_counts(index.groups, read.view.held)
    head, further = _head(landing, replace(read.head, held=held), index, state)
    return CommitWrite(
        job=job,
        fence=job.fence,
        expected_version=read.head.version,
        head=head,
        view=view_after_commit(index, covered, open_end, read.view.held),
        summary=record,
        next_job=further,
    )


def _turn(head: Head) -> int:
    """Number of the newest turn."""
    return int(head.state["grouper"]["turn"])


def _unchanged(index: MessageIndex, sources: Sequence[MessageGroup]) -> list[MessageGroup]:
    """The sources that are live and hold what they held, as the index has them."""
    held = {group.id: group.positions for group in sources}
    return [group for group in index.groups if group.is_live and held.get(group.id) == group.positions]


def _has_news(sources: Sequence[MessageGroup], wanted: Sequence[MessageGroup]) -> bool:
    """Whether there is more than an earlier summary to fold, unless that alone was to be made again."""
    return any(group.is_log for group in sources) or (bool(sources) and not any(group.is_log for group in wanted))


def _lacks_a_summary(sources: Sequence[MessageGroup], wanted: Sequence[MessageGroup]) -> bool:
    """Whether an earlier summary is gone: what this one says of it may no longer be so."""
    return {group.id for group in wanted if group.durable} - {group.id for group in sources} != set()


def _head(landing: Landing, head: Head, index: MessageIndex, state: dict[str, Any]) -> tuple[Head, Job | None]:
    """The head as it shall be, and the job that is due even so."""
    job = landing.job
    after = replace(
        head, version=head.version + 1, view_revision=head.view_revision + 1, pending_job="", deaths=0, state=state
    )  # fmt: skip
    tokens = index.all.tokens
    live = index.live
    further = plan(job.key, after, landing.policy, live=live, all_tokens=tokens, turn=_turn(head), is_live=job.live)
    return replace(after, pending_job=further.id if further else ""), further


def _result(landing: Landing, made: MessageGroup, sources: Sequence[MessageGroup]) -> Job:
    return replace(
        landing.job,
        error="",  # of an earlier try
        summary_id=made.id,
        model=landing.reply.model,
        source_tokens=sum(group.token_count for group in sources),
        summary_tokens=made.token_count,
        prompt_tokens=landing.reply.prompt_tokens,
        completion_tokens=landing.reply.completion_tokens,
        cost=landing.prices.of_summary(landing.reply.prompt_tokens, landing.reply.completion_tokens),
    )


def _record(
    job: Job, made: MessageGroup, sources: Sequence[MessageGroup], read: Read, landing: Landing
) -> dict[str, Any]:
    """The summary as it is kept for ever: its text, where it stands, and all that it was made from."""
    positions = sorted(position for group in sources for position in group.positions)
    reply = landing.reply
    record = {
        "id": made.id,
        "place": made.place,
        "text": made.messages[0].text,
        "metadata": made.messages[0].metadata,
        "tokens": made.token_count,
        "bytes": made.byte_count,
        "tokenizer": landing.policy.tokenizer_name,
        "summary_of": list(made.summary_of),
        "positions": positions,
        "message_ids": [read.entries[position].id for position in positions],
        "source_tokens": job.source_tokens,
        "log_length": read.head.length,
        "model": reply.model,
        "prompt_version": reply.prompt_version,
        "degraded": reply.degraded,
        "rejections": list(reply.rejections),
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "job": job.id,
        "created_at_ms": job.started_at_ms,
        "sources_digest": _sources_digest(sources),
    }
    owner = Owner(job.tenant, job.session, job.incarnation)
    return record | {"signature": landing.signer.sign(owner, record)}


def _sources_digest(sources: Sequence[MessageGroup]) -> str:
    messages = [one for group in sources for one in zip(group.positions, group.messages, strict=False)]
    return sources_digest(messages, [(group.id, group.messages[0].text) for group in sources if group.durable])
