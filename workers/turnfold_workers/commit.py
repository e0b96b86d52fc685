"""Landing a summary: worked out on the session as it is, and again if it moves meanwhile.

New messages never make a summary stale: they are counted in, and the write is made on the newer head.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from turnfold import telemetry
from turnfold.compaction.summary_group import summary_group
from turnfold.counts import Counts
from turnfold.groups import MessageGroup, Reason
from turnfold.index import MessageIndex
from turnfold.jobs.planning import plan
from turnfold.policy import Policy
from turnfold.sessions.head import Head
from turnfold.sessions.index_state import state_after
from turnfold.sessions.job import Job
from turnfold.sessions.load import load_more
from turnfold.sessions.store import CommitWrite, Read, SessionStore, Stale
from turnfold.sessions.view_of import view_after_commit
from turnfold.summaries.summarizer import SummaryReply

log = telemetry.logger(__name__)
EVERYTHING = 2**31


@dataclass(frozen=True, slots=True, kw_only=True)
class Landing:
    """A session as the job has read it."""

    job: Job
    read: Read
    policy: Policy
    index: MessageIndex


async def land(
    store: SessionStore, landing: Landing, sources: Sequence[MessageGroup], reply: SummaryReply
) -> Job | None:
    """Commits the summary, or finds out that another claim rules. Returns the job that is due next, if one is."""
    job, index, head = landing.job, landing.index, landing.read.head
    made = summary_group(index, sources, reply, summary_id=f"summary-{job.id}")
    job = replace(job, summary_id=made.id, model=reply.model, summary_tokens=made.token_count,
                  source_tokens=sum(group.token_count for group in sources), prompt_tokens=reply.prompt_tokens,
                  completion_tokens=reply.completion_tokens)  # fmt: skip
    covered = [*landing.read.view.covered, *(position for group in sources for position in group.positions)]
    record = _record(job, made, sources, landing.read, reply)
    index.replace(sources, made, "summarization")
    for group in sources:
        group.reason = "summarization" if group.reason == Reason.DANGLING else group.reason
    while True:
        write = _write(job, head, landing, covered, record)
        answer = await store.commit(job.key, write)
        if not isinstance(answer, Stale):
            outcome = telemetry.JOB_COMMITTED if answer else telemetry.JOB_SUPERSEDED
            log.info(outcome, **job.log_context(), summary=made.id, sources=len(sources))
            return write.next_job if answer else None
        if answer.head is None or answer.head.incarnation != job.incarnation:
            return None
        head = await _catch_up(store, landing, head)
        await asyncio.sleep(random.uniform(0, 0.002))  # two writers in step get out of step


def _write(job: Job, head: Head, landing: Landing, covered: list[int], record: dict[str, Any]) -> CommitWrite:
    index = landing.index
    state, open_end = state_after(index, head.state)
    after = replace(
        head,
        version=head.version + 1,
        view_revision=head.view_revision + 1,
        pending_job="",
        state=state,
    )
    further = plan(
        job.key, after, landing.policy, live=index.live, all_tokens=index.all.tokens, is_live=job.live
    )  # fmt: skip
    return CommitWrite(
        job=job,
        fence=job.fence,
        expected_version=head.version,
        head=replace(after, pending_job=further.id if further else ""),
        view=view_after_commit(index, covered, open_end),
        summary={**record, "log_length": head.length},
        next_job=further,
    )


async def _catch_up(store: SessionStore, landing: Landing, head: Head) -> Head:
    """Takes in what was appended since `head`; the head to write on."""
    index = landing.index
    read = await store.read_log(landing.job.key, head.length, EVERYTHING)
    if read is None:
        return head  # erased: the next commit is refused
    load_more(index, [read.entries[position] for position in sorted(read.entries)], read.head)
    index.all = Counts.from_dict(read.head.state["all"])
    return read.head


def _record(
    job: Job, made: MessageGroup, sources: Sequence[MessageGroup], read: Read, reply: SummaryReply
) -> dict[str, Any]:
    """The summary as it is kept for ever: its text, where it stands, and all that it was made from."""
    positions = sorted(position for group in sources for position in group.positions)
    return {
        "id": made.id,
        "place": made.place,
        "text": made.messages[0].text,
        "metadata": made.messages[0].metadata,
        "tokens": made.token_count,
        "bytes": made.byte_count,
        "summary_of": list(made.summary_of),
        "positions": positions,
        "message_ids": [read.entries[position].id for position in positions if position in read.entries],
        "source_tokens": job.source_tokens,
        "model": reply.model,
        "prompt_version": reply.prompt_version,
        "degraded": reply.degraded,
        "rejections": list(reply.rejections),
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "job": job.id,
        "created_at_ms": job.started_at_ms,
    }
