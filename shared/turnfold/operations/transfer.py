"""Whole conversations in and out of sessions, message by message as they are."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from turnfold.errors import BadInput, Conflict, NotFound
from turnfold.messages import Message
from turnfold.service import MAX_MESSAGES, TurnfoldService

PAGE = 1000


@dataclass(frozen=True, slots=True)
class Imported:
    """Where the messages stand in the session's log now, and the job that they made due, if they did."""

    first: int
    last: int
    job: str | None


async def import_messages(
    service: TurnfoldService, session_id: str, messages: Sequence[Mapping[str, Any]], *, into_existing: bool = False
) -> Imported:
    """Appends the messages; a session that has some already takes more only if that is meant.

    More than an append can take are appended in several: what went in before one fails stays.

    Raises:
        BadInput: there is no message.
        Conflict: the session has messages already.
    """
    if not messages:
        raise BadInput("messages", "there is none to import")
    before = await _length(service, session_id)
    if before and not into_existing:
        raise Conflict(f"the session {session_id!r} has {before} messages already")
    job: str | None = None
    first = last = 0
    for start in range(0, len(messages), MAX_MESSAGES):
        result = await service.append(session_id, messages[start : start + MAX_MESSAGES])
        first, last = first or result.first, result.last
        job = result.job["id"] if result.job else job
    return Imported(first, last, job)


async def exported_messages(service: TurnfoldService, session_id: str) -> AsyncIterator[list[Message]]:
    """The session's messages as they were appended, erased ones left out, some at a time.

    Raises:
        NotFound: there is no such session.
    """
    after = 0
    while True:
        read = await service.messages(session_id, after=after, limit=PAGE)
        yield [read.entries[position].message for position in sorted(read.entries)]
        after += PAGE
        if after >= read.head.length:
            return


async def _length(service: TurnfoldService, session_id: str) -> int:
    try:
        return (await service.session(session_id)).length
    except NotFound:
        return 0
