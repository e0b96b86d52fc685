"""The end of a session's log, as far back as a request's body may reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from turnfold.errors import NotFound
from turnfold.messages import Message
from turnfold.service import TurnfoldService
from turnfold.sessions.head import Head
from turnfold_api.proxy.fingerprint import fingerprint

INSTRUCTIONS = ("system", "developer")
# Messages that are read beyond the body's own number, in case instructions or branches stand between.
SPARE = 16
WHOLE = 2**31


@dataclass(frozen=True, slots=True)
class SessionLog:
    """
    Attributes:
        head: the session's, read with the messages; a write on this log is made on its revision.
        instructions: the system messages that the log begins with, where it was read from its beginning.
        messages: what follows them.
        is_whole: read from the beginning.
    """

    session_id: str
    head: Head
    instructions: Sequence[Message]
    messages: Sequence[Message]
    is_whole: bool

    @property
    def fingerprints(self) -> list[str]:
        return [fingerprint(message) for message in self.messages]


async def read_log(service: TurnfoldService, session_id: str, *, at_least: int | None) -> SessionLog | None:
    """The log's end, with `at_least` that many messages (None: all); None where there is no such session."""
    try:
        head = await service.session(session_id)
        after = 0 if at_least is None else max(0, head.length - at_least - SPARE)
        read = await service.messages(session_id, after=after, limit=WHOLE)
    except NotFound:
        return None
    messages = [read.entries[position].message for position in sorted(read.entries)]
    start = leading_instructions(messages) if after == 0 else 0
    return SessionLog(session_id, read.head, messages[:start], messages[start:], after == 0)


def leading_instructions(messages: Sequence[Message]) -> int:
    """How many system messages stand at the beginning."""
    return next((i for i, one in enumerate(messages) if one.get("role") not in INSTRUCTIONS), len(messages))
