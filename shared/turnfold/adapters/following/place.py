"""Where a history is found: in its session, or in a branch of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from turnfold.adapters.following.session_name import branch_name
from turnfold.errors import Conflict, NotFound
from turnfold.service import TurnfoldService

# Erased messages leave gaps; one of so many that are left tells whose log it is.
WINDOW = 16
# A history that is cut anew each turn would otherwise be copied each turn.
MAX_BRANCHES = 32


@dataclass(frozen=True, slots=True)
class Place:
    """A session that holds the beginning of a history.

    Attributes:
        known: so many of the history's messages are in its log.
        revision: what the next write is made on; 0: there is no such session yet.
        is_ahead: its log has more than the history.
        branch_of: the session that this one, still to be made, leaves.
    """

    session_id: str
    known: int = 0
    revision: int = 0
    is_ahead: bool = False
    branch_of: str | None = None


async def find_place(
    service: TurnfoldService, session_id: str, ids: Sequence[str], *, not_ahead: bool = False
) -> Place:
    """The session whose log is the beginning of the history, else the name of a new branch.

    A history that was edited or cut, and then went on differently, is another one: nothing is overwritten.

    Args:
        ids: the history's, chained.
        not_ahead: a session whose log has more than the history will not do.

    Raises:
        Conflict: the history was rewritten so often that it is not followed any more.
    """
    for number in range(MAX_BRANCHES + 1):
        at = branch_name(session_id, number)
        try:
            place = await _place_in(service, at, ids)
        except NotFound:
            return Place(at, branch_of=session_id if number else None)
        if place is not None and not (not_ahead and place.is_ahead):
            return place
    raise Conflict(f"the history of {session_id!r} was rewritten more than {MAX_BRANCHES} times")


async def _place_in(service: TurnfoldService, session_id: str, ids: Sequence[str]) -> Place | None:
    """The place, None where the log is another history's."""
    head = await service.session(session_id)
    known = min(head.length, len(ids))
    if known == 0:
        return Place(session_id, revision=head.revision, is_ahead=head.length > 0)
    read = await service.messages(session_id, after=max(0, known - WINDOW), limit=min(known, WINDOW))
    newest = max(read.entries, default=0)
    if not newest or read.entries[newest].id != ids[newest - 1]:
        return None
    return Place(session_id, known, head.revision, is_ahead=head.length > len(ids))
