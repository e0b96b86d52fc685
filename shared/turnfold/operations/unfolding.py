"""Taking a summary back for good: what it stood for shows again, and no trigger folds that again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from turnfold.errors import Conflict, NotFound
from turnfold.operations.whole import Whole, head_and_view, read_whole
from turnfold.operations.withdrawal import planned_anew, waiting_for
from turnfold.service import TurnfoldService
from turnfold.sessions.head import Head
from turnfold.sessions.held import Held
from turnfold.sessions.store import RewriteWrite, Stale

REASON = "summary_withdrawn"


@dataclass(frozen=True, slots=True)
class Unfolded:
    """What shows again: how many groups, earlier summaries among them, and how many messages of the log."""

    groups: int
    messages: int


async def unfold(service: TurnfoldService, session_id: str, group_id: str) -> Unfolded:
    """Takes a summary back. Only a compaction that is asked for folds its sources again.

    Raises:
        NotFound: there is no such session, or no such summary in it.
        Conflict: a later summary tells of it.
    """
    while True:
        whole = await read_whole(service, session_id)
        taken = _taken(whole.records, group_id, session_id)
        write, unfolded = _write(whole, taken)
        answer = await service.store.rewrite(whole.key, write)
        service.moved(whole.key, None if isinstance(answer, Stale) else write.next_job)
        if isinstance(answer, Head):
            return unfolded


def _taken(records: Mapping[str, Mapping[str, Any]], group_id: str, session_id: str) -> list[str]:
    """The summary; with it the one that it only says again, with a pin that was set since."""
    if group_id not in records:
        raise NotFound(f"there is no summary {group_id!r} in session {session_id!r}")
    for name, record in records.items():
        if group_id in record["summary_of"]:
            raise Conflict(f"{group_id} is folded into {name}: take that one back first")
    taken = [group_id]
    while len(sources := records[taken[-1]]["summary_of"]) == 1 and sources[0] in records:
        taken.append(sources[0])
    return taken


def _write(whole: Whole, taken: list[str]) -> tuple[RewriteWrite, Unfolded]:
    after = whole.without(taken)
    index = after.index()
    sources = set(whole.records[taken[-1]]["summary_of"])
    shown = [group for group in index.groups if group.id in sources]
    held = whole.view.held.plus(Held.of(shown))
    head, view = head_and_view(after, index, held)
    forced = whole.pending is not None and whole.pending.forced  # it would fold at once what shows now
    job = None if forced else planned_anew(whole, head, index)
    write = RewriteWrite(
        head=waiting_for(head, job),
        expected_version=whole.head.version,
        view=view,
        summaries=taken,
        pending_job=whole.head.pending_job,
        reason=REASON,
        next_job=job,
    )
    return write, Unfolded(len(shown), sum(len(group.positions) for group in shown))
