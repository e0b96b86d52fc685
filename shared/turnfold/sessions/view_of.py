"""The view of an index: what has to be read to have it again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from turnfold.groups import MessageGroup, Reason
from turnfold.index import MessageIndex
from turnfold.sessions.held import Held
from turnfold.sessions.open_end import OpenEnd
from turnfold.sessions.view import Hidden, View

# So many single messages may be fetched from before the start of reading, to leave out a longer part that is hidden.
# Calls that wait come on top: of them not too many are remembered.
MAX_KEPT = 64
# So many messages may be read in vain before a turn moves the start of reading for that alone.
MAX_IN_VAIN = 512


def view_of(index: MessageIndex, base: View, open_end: OpenEnd) -> View:
    """The view after inline steps: `live` and `covered` stay, the rest is what the index says."""
    log = [group for group in index.groups if group.is_log]
    needed = _needed(log, open_end, base.held)
    read = _read_start([g for g in log if not base.held.has(g)], needed, base.read, open_end.length)
    passed = [p for g in log if g.id not in needed for p in g.positions if g.place < read <= p]
    return View(
        live=base.live,
        read=read,
        kept=_kept(log, needed, read),
        covered=base.covered,
        passed=tuple(sorted({*passed, *(p for p in base.passed if p >= read)})),
        made=tuple(g for g in index.made_groups if (g.durable and g.is_live) or (g.included and not g.durable)),
        hidden=_hidden(log, base),
        hidden_system=tuple((g.place, g.reason or "") for g in log if g.is_system and not g.included),
        held=base.held,
    )


def reads_in_vain(index: MessageIndex, read: int) -> bool:
    """Whether so much of what was read is hidden that the start of reading should move, if it can."""
    return read > 2 * index.included.messages + MAX_IN_VAIN


def view_after_commit(index: MessageIndex, covered: Iterable[int], open_end: OpenEnd, held: Held) -> View:
    """The view right after a summary landed, or was taken back: no inline step hides anything.

    What is held is kept from before the live part, so that the covered part behind it need not be read.
    """
    log = [group for group in index.groups if group.is_log and group.is_live]
    held = held.among(index.groups)
    live = [group for group in log if not group.is_system and not held.has(group)]
    start = live[0].place if live else open_end.length + 1
    needed = _needed(log, open_end, held)
    return View(
        live=start,
        read=start,
        kept=_kept(log, needed, start),
        covered=tuple(sorted(position for position in covered if position >= start)),
        made=tuple(group for group in index.made_groups if group.durable and group.is_live),
        held=held,
    )


def _needed(log: Sequence[MessageGroup], open_end: OpenEnd, held: Held) -> set[str]:
    """Ids of the groups that are shown, that a later message may still change, or that a commit shows again."""
    return {g.id for g in log if g.included or g.is_system or held.has(g)} | open_end.groups


def _read_start(log: Sequence[MessageGroup], needed: set[str], start: int, length: int) -> int:
    """The latest start behind something hidden, with at most `MAX_KEPT` messages to keep from before it."""
    behind_hidden, kept = False, 0
    for group in log:
        if kept > MAX_KEPT:
            return start
        if group.id not in needed:
            behind_hidden = True
            continue
        if behind_hidden and not group.is_system:
            behind_hidden = False
            start = max(start, group.place)
        if group.included or group.is_system:
            kept += group.message_count
    return length + 1 if behind_hidden and kept <= MAX_KEPT else start


def _kept(log: Sequence[MessageGroup], needed: set[str], start: int) -> tuple[int, ...]:
    groups = [group for group in log if group.id in needed and group.place < start]
    return tuple(sorted(p for group in groups for p in group.positions if p < start))


def _hidden(log: Sequence[MessageGroup], base: View) -> tuple[Hidden, ...]:
    """Stretches that were hidden for one reason; what was hidden before the start of reading is told by the base."""
    loaded = [(g.place, g.place, _told_reason(g)) for g in log if not g.is_system and g.reason != Reason.ORPHAN]
    before = [(first, min(last, base.read - 1), reason) for first, last, reason in base.hidden]
    items: list[tuple[int, int, str | None]] = sorted(
        [*loaded, *(item for item in before if item[0] <= item[1])], key=lambda item: item[:2]
    )
    stretches: list[Hidden] = []
    previous: str | None = None
    for first, last, reason in items:
        if reason is not None and reason == previous:
            stretches[-1] = (stretches[-1][0], max(last, stretches[-1][1]), reason)
        elif reason is not None:
            stretches.append((first, last, reason))
        previous = reason
    return tuple(stretches)


def _told_reason(group: MessageGroup) -> str | None:
    """Why an inline step hid the group; None where none did."""
    if group.included or group.reason in (Reason.DANGLING, Reason.ORPHAN):
        return None
    return group.reason
