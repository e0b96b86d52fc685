"""Brings a session's log up to a history that somebody else keeps."""

from __future__ import annotations

from turnfold.adapters.following.history import History
from turnfold.adapters.following.place import Place, find_place
from turnfold.errors import RevisionMismatch
from turnfold.service import TurnfoldService

# A history that is first seen when it is long goes over in parts; each of them stays when the next is late.
PART = 1_000
# Writers of one session take turns; one that is overtaken so often gives up.
TRIES = 20


async def follow(service: TurnfoldService, session_id: str, history: History, *, not_ahead: bool = False) -> Place:
    """Appends what the session lacks of the history; where the history is then found.

    Two that follow the same history at once append each message once.

    Raises:
        RevisionMismatch: others wrote to the session all the time.
        Unavailable: the store is out of reach.
    """
    place = await find_place(service, session_id, history.ids, not_ahead=not_ahead)
    tries = 0
    while place.known < len(history.ids):
        try:
            place = await _append_part(service, place, history)
        except RevisionMismatch:
            tries += 1
            if tries == TRIES:
                raise
            place = await find_place(service, session_id, history.ids, not_ahead=not_ahead)
    return place


async def _append_part(service: TurnfoldService, place: Place, history: History) -> Place:
    """Appends what comes next of the history; the place as it is then.

    What was reported for a call tells of what is sent beside the messages where its reply is the first that is new.
    """
    end = min(len(history.ids), place.known + PART)
    part, usage = history.part(place.known, end), history.usage_at(place.known)
    appended = await service.append(place.session_id, part, usage=usage, if_match=place.revision)
    revision = appended.revision
    if place.branch_of:
        revision = (await service.update(place.session_id, metadata={"branch_of": place.branch_of})).revision
    return Place(place.session_id, end, revision)
