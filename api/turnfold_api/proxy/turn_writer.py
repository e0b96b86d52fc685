"""A turn is stored after its reply: new messages and reply in one write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from turnfold import telemetry
from turnfold.errors import RevisionMismatch, TurnfoldError
from turnfold.messages import Message
from turnfold.service import TurnfoldService
from turnfold_api.proxy.target import Body, Target, find_target

# Writers of one session take turns; one that is overtaken so often gives up and says so.
TRIES = 20
STORED = "X-Turnfold-Stored"
_log = telemetry.logger(__name__)


class TurnWriter:
    """Stores what one call said, where it was found to belong."""

    def __init__(self, service: TurnfoldService, session_id: str, body: Body, target: Target) -> None:
        self._service, self._session_id, self._body, self._target = service, session_id, body, target

    async def write(self, reply: Mapping[str, Any] | None, usage: Any) -> bool:
        """Whether the turn is stored. The reply has been paid for: that it can't be stored is not its end."""
        try:
            await self._write(reply, usage)
        except TurnfoldError as error:
            _log.warning(telemetry.TURN_NOT_STORED, tenant=self._service.tenant, error=type(error).__name__)
            return False
        return True

    async def _write(self, reply: Mapping[str, Any] | None, usage: Any) -> None:
        target = self._target
        said = [] if reply is None else [Message(reply)]
        for _ in range(TRIES):
            messages = [*target.to_store, *said]
            if not messages or self._was_stored_meanwhile(target):
                return
            try:
                await self._service.append(target.session_id, messages, usage=usage, if_match=target.revision)
            except RevisionMismatch:
                target = await find_target(self._service, self._session_id, self._body)
                continue
            if target.branch_of:
                branch = {"branch_of": target.branch_of, "branch_at": len(target.prefix)}
                await self._service.update(target.session_id, metadata=branch)
            return
        raise RevisionMismatch("the session is written to by too many at once")

    def _was_stored_meanwhile(self, target: Target) -> bool:
        """Somebody who made the same call was faster: what is there now, and was not, is this turn."""
        return target.ends_with_turn and target.length > self._target.length + len(self._target.new)
