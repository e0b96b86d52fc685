"""Where a turn belongs: the session itself, one of its branches, or a new branch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from turnfold.messages import Message
from turnfold.service import TurnfoldService
from turnfold.sessions.head import Head
from turnfold_api.proxy.fingerprint import fingerprint
from turnfold_api.proxy.matching import History, common_start, first_new, has_turn
from turnfold_api.proxy.session_log import SessionLog, leading_instructions, read_log


@dataclass(frozen=True, slots=True)
class Body:
    """The messages of a request: instructions at the beginning, and what was said."""

    instructions: Sequence[Message]
    said: Sequence[Message]
    history: History

    @classmethod
    def of(cls, messages: Sequence[Message], history: History) -> Body:
        start = leading_instructions(messages)
        return cls(messages[:start], messages[start:], history)

    @property
    def is_resent(self) -> bool:
        """Replies of the model come from the client only with the history that it repeats."""
        if self.history == "auto":
            return any(message.get("role") == "assistant" for message in self.said)
        return self.history == "full"


@dataclass(frozen=True, slots=True)
class Target:
    """What a call works on.

    Attributes:
        session_id: where the turn is stored.
        head: of the session; the write is made on its revision. None: the session is new.
        prefix: messages that a new branch begins with, copied from the session that it left.
        new: messages of the body that the session does not have.
        branch_of: the session that a new branch left.
        ends_with_turn: the log ends with all that the body says, and a reply.
    """

    session_id: str
    head: Head | None
    new: Sequence[Message]
    prefix: Sequence[Message] = field(default=())
    branch_of: str | None = None
    ends_with_turn: bool = False

    @property
    def revision(self) -> int:
        return self.head.revision if self.head else 0

    @property
    def length(self) -> int:
        return self.head.length if self.head else 0

    @property
    def to_store(self) -> list[Message]:
        """What the session lacks before the reply."""
        return [*self.prefix, *self.new]


async def find_target(service: TurnfoldService, session_id: str, body: Body) -> Target:
    """The session whose log the body continues, with what is new in it.

    Where the body repeats another history than the session and its branches have, that is a new branch: the part that
    both share, and then the body. Nothing is overwritten.
    """
    told = [fingerprint(message) for message in body.said]
    number = 0
    logs: list[SessionLog] = []
    while True:
        at = session_id if number == 0 else f"{session_id}~{number}"
        log = await read_log(service, at, at_least=len(told))
        if log is None:
            break
        if (target := await _continued(service, log, body, told)) is not None:
            return target
        logs.append(log)
        number += 1
        if body.history == "delta":
            break
    if not logs:
        return Target(session_id, None, [*body.instructions, *body.said])
    source, shared = await _nearest(service, logs, told)
    return Target(
        f"{session_id}~{number}",
        None,
        body.said[shared:],
        prefix=[*source.instructions, *source.messages[:shared]],
        branch_of=source.session_id,
    )


async def _continued(service: TurnfoldService, log: SessionLog, body: Body, told: Sequence[str]) -> Target | None:
    start = 0 if body.history == "delta" else first_new(log.fingerprints, told, is_resent=body.is_resent)
    if start is None and not log.is_whole:  # what the body begins with may stand further back
        whole = await read_log(service, log.session_id, at_least=None)
        log = whole or log
        start = first_new(log.fingerprints, told, is_resent=body.is_resent)
    if start is None:
        return None
    return Target(log.session_id, log.head, body.said[start:], ends_with_turn=has_turn(log.fingerprints, told))


async def _nearest(service: TurnfoldService, logs: Sequence[SessionLog], told: Sequence[str]) -> tuple[SessionLog, int]:
    """The session that shares most with the body, and how many messages that is."""
    whole = [await read_log(service, log.session_id, at_least=None) or log for log in logs]
    source = max(whole, key=lambda log: common_start(log.fingerprints, told))
    return source, common_start(source.fingerprints, told)
