"""Taking summaries back: what they stood for shows again, and what was pending is planned anew."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from turnfold.index import MessageIndex
from turnfold.jobs.planning import plan, plan_again
from turnfold.operations.whole import Whole
from turnfold.sessions.head import Head
from turnfold.sessions.job import Job, new_job


def over_position(records: Mapping[str, Mapping[str, Any]], position: int) -> set[str]:
    """Ids of the summaries that cover this message, up the chain."""
    return with_those_above(records, (name for name in records if position in records[name]["positions"]))


def with_those_above(records: Mapping[str, Mapping[str, Any]], summaries: Iterable[str]) -> set[str]:
    """These summaries, and all that tell of them."""
    parents = {source: name for name, record in records.items() for source in record["summary_of"]}
    found = set(summaries)
    waiting = list(found)
    while waiting:
        parent = parents.get(waiting.pop())
        if parent is not None and parent not in found:
            found.add(parent)
            waiting.append(parent)
    return found


def planned_anew(whole: Whole, head: Head, index: MessageIndex, *, withdrawn: Collection[str] = ()) -> Job | None:
    """The job in the place of the pending one, and for the summaries that are to be made again.

    Args:
        whole: the session as it was.
        head: as it shall be; no job is pending in it.
        index: of what shall be.
        withdrawn: summaries to be made again.
    """
    pending = whole.pending
    is_live = pending is None or pending.live
    if pending is not None and pending.forced:
        return new_job(whole.key, head.incarnation, step=pending.step, forced=True, live=is_live)
    ends = [max(whole.records[name]["positions"], default=0) for name in withdrawn]
    until = max([*ends, pending.until if pending else 0])
    if until:
        return plan_again(whole.key, head, whole.policy, live=index.live, until=until, is_live=is_live)
    tokens = index.all.tokens
    return plan(whole.key, head, whole.policy, live=index.live, all_tokens=tokens, is_live=is_live)


def waiting_for(head: Head, job: Job | None) -> Head:
    """The head with that job pending."""
    return replace(head, pending_job=job.id if job else "")
