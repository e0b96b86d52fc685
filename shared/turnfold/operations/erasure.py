"""Erasing a message: it goes, with every summary that covers it, and all else that was made of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from turnfold.content import has_calls
from turnfold.errors import NotFound, RevisionMismatch
from turnfold.groups import MessageGroup
from turnfold.operations.whole import Whole, head_and_view, read_whole
from turnfold.operations.withdrawal import over_position, planned_anew, waiting_for
from turnfold.service import TurnfoldService
from turnfold.sessions.entry import Entry, line_of
from turnfold.sessions.head import Head
from turnfold.sessions.session_key import MAX_LENGTH
from turnfold.sessions.store import RewriteWrite, Stale

REASON = "message_erased"
RESULTS = ("tool", "function")


async def erase_message(
    service: TurnfoldService, session_id: str, message_id: str, *, if_match: int | None = None
) -> Head:
    """Erases a message for good; the session's revision moves, and summaries that told of it are made again.

    Of its copies in branches of the session those that were made with the branch are erased too, before it.

    Raises:
        NotFound: there is no such session, or no such message in it.
        RevisionMismatch: `if_match` is not the session's revision.
    """
    whole = await read_whole(service, session_id)
    entry = _entry(whole, session_id, message_id)
    _check_revision(whole.head, if_match)
    async for branch, copy_id in _copies(service, session_id, whole, entry):
        await _erase(service, branch, copy_id, if_match=None)
    return await _erase(service, session_id, message_id, if_match=if_match)


async def _erase(service: TurnfoldService, session_id: str, message_id: str, *, if_match: int | None) -> Head:
    while True:
        whole = await read_whole(service, session_id)
        entry = _entry(whole, session_id, message_id)
        _check_revision(whole.head, if_match)
        write = _write(whole, entry)
        answer = await service.store.rewrite(whole.key, write)
        service.moved(whole.key, None if isinstance(answer, Stale) else write.next_job)
        if isinstance(answer, Head):
            return answer


def _write(whole: Whole, erased: Entry) -> RewriteWrite:
    gone = over_position(whole.records, erased.position)
    remains = _without(whole, erased)
    after = replace(remains.whole.without(gone), entries=remains.entries).with_newest_last()
    index = after.index()
    head, view = head_and_view(after, index, whole.view.held)
    head = replace(
        head,
        revision=head.revision + 1,
        erased=head.erased + 1,
        pins=[pin for pin in head.pins if pin != erased.position],
    )
    job = planned_anew(whole, head, index, withdrawn=gone)
    moved = {entry.position: line_of(entry) for entry in remains.moved}
    return RewriteWrite(
        head=waiting_for(head, job),
        expected_version=whole.head.version,
        view=view,
        lines={**moved, erased.position: b""},
        message_ids=[erased.id],
        summaries=sorted(gone),
        pending_job=whole.head.pending_job,
        reason=REASON,
        next_job=job,
    )


@dataclass(frozen=True, slots=True)
class _Remains:
    """What is left of a session: `moved` are entries that stand in another group than before."""

    whole: Whole
    entries: dict[int, Entry]
    moved: Sequence[Entry]


def _without(whole: Whole, erased: Entry) -> _Remains:
    """The messages that stay. A call left without its result, or results without their call, are closed for good."""
    group = next(one for one in whole.index().groups if erased.position in one.positions)
    rest = [whole.entries[position] for position in group.positions if position != erased.position]
    moved = _results_by_themselves(rest) or _kept_together(rest, erased, group)
    entries = {position: entry for position, entry in whole.entries.items() if position != erased.position}
    entries |= {entry.position: entry for entry in moved}
    if not rest or _breaks(group, erased):
        return _Remains(whole.closing([group.id]), entries, moved)
    return _Remains(whole, entries, moved)


def _breaks(group: MessageGroup, erased: Entry) -> bool:
    """Whether the group lacks something without this message: reasoning may go, but no call and no result."""
    return not group.orphan and (has_calls(erased.message) or erased.message.get("role") in RESULTS)


def _results_by_themselves(rest: Sequence[Entry]) -> list[Entry]:
    """Results whose call is gone leave the reasoning that stood before it: they are a group of their own.

    Reasoning that they had taken in stays with them.
    """
    results = [entry for entry in rest if entry.message.get("role") in RESULTS]
    if len(results) in (0, len(rest)) or any(has_calls(entry.message) for entry in rest):
        return []
    return [replace(entry, place=results[0].position) for entry in results]


def _kept_together(rest: Sequence[Entry], erased: Entry, group: MessageGroup) -> list[Entry]:
    """Reasoning that a call had taken in for the erased result stays with it."""
    if erased.message.get("role") not in RESULTS or not any(entry.place == group.place for entry in rest):
        return []
    taken_in = [entry for entry in rest if entry.place in erased.absorbed]
    return [replace(entry, place=group.place) for entry in taken_in]


async def _copies(
    service: TurnfoldService, session_id: str, whole: Whole, erased: Entry
) -> AsyncIterator[tuple[str, str]]:
    """Branch and id of each copy that a branch of the session began with, or a branch of such a branch.

    A branch begins with a copy of the messages before the place where it left, so there the message is the n-th, too.
    """
    before = [whole.entries[p].message for p in sorted(whole.entries) if p <= erased.position]
    family = {session_id}
    base = session_id.rpartition("~")[0] if whole.head.metadata.get("branch_of") else session_id
    for name in (f"{base}~{number}" for number in count(1)):
        head = await service.store.read_head(service.key(name)) if len(name) <= MAX_LENGTH else None
        if head is None:
            return
        if head.metadata.get("branch_of") not in family:
            continue
        branch = await read_whole(service, name)
        same = [branch.entries[p] for p in sorted(branch.entries)][: len(before)]
        if [entry.message for entry in same] == before:
            family.add(name)
            yield name, same[-1].id


def _entry(whole: Whole, session_id: str, message_id: str) -> Entry:
    for entry in whole.entries.values():
        if entry.id == message_id:
            return entry
    raise NotFound(f"there is no message {message_id!r} in session {session_id!r}")


def _check_revision(head: Head, if_match: int | None) -> None:
    if if_match is not None and if_match != head.revision:
        raise RevisionMismatch(f"the session is at revision {head.revision}")
