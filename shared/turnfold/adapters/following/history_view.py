"""What a model gets of a history that somebody else keeps."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias, TypeVar

from turnfold import telemetry
from turnfold.adapters.following.follower import follow
from turnfold.adapters.following.history import History
from turnfold.adapters.following.passing_view import passing_view
from turnfold.adapters.following.place import MAX_BRANCHES
from turnfold.adapters.following.session_name import branch_name, session_name
from turnfold.errors import BadInput, NotFound, TurnfoldError
from turnfold.messages import Message
from turnfold.service import TurnfoldService

T = TypeVar("T")
Messages: TypeAlias = Sequence[Mapping[str, Any]]
Shown: TypeAlias = int | Message
"""A message of the history, by its place in it, or one that compaction made: a summary, a line of collapsed calls."""

INSTRUCTIONS = ("system", "developer")
_log = telemetry.logger(__name__)


class HistoryView:
    """Follows histories in sessions, and shows them as those sessions are shown.

    A turn never fails or waits because of that: where the store is out of reach, or late, the history is shown after
    the steps of the policy that need no store, and the session catches up later.

    Args:
        service: the sessions; `turnfold.Turnfold` is one.
        deadline_seconds: how long a call may take before the history is shown without its session.
    """

    def __init__(self, service: TurnfoldService, *, deadline_seconds: float = 2.0) -> None:
        self.service, self.deadline_seconds = service, deadline_seconds

    async def show(
        self, history_id: str | None, messages: Messages, *, input_tokens: Mapping[int, int] | None = None
    ) -> list[Shown]:
        """What the model should get of these messages, in order. Brings the session up to them first.

        What compaction made is the model's own, but for the beginning: some providers want a user's message there.

        Args:
            history_id: tells one history from another; None: nobody keeps this one, and nothing is stored of it.
            messages: the whole history as chat messages.
            input_tokens: what the provider reported for the calls that messages answer, by their places.
        """
        history = History.of(messages, input_tokens)
        shown = None if history_id is None else await self._in_time(self._shown(session_name(history_id), history))
        if shown is None:
            shown = await passing_view(self.service.policy, history)
        return _led_by_a_user(shown, messages)

    async def follow(
        self, history_id: str | None, messages: Messages, *, input_tokens: Mapping[int, int] | None = None
    ) -> None:
        """Brings the session up to these messages, so that a summary may be ready before the next turn."""
        if history_id is not None and messages:
            history = History.of(messages, input_tokens)
            await self._in_time(follow(self.service, session_name(history_id), history))

    async def forget(self, history_id: str) -> None:
        """Erases the session of a history that was erased, with its branches and summaries.

        Raises:
            Unavailable: the store is out of reach; call it again.
        """
        for number in range(MAX_BRANCHES + 1):
            with suppress(NotFound):
                await self.service.delete(branch_name(session_name(history_id), number))

    async def _shown(self, session_id: str, history: History) -> list[Shown]:
        if not history.ids:
            return []
        place = await follow(self.service, session_id, history)
        shown = await self._context(place.session_id, history)
        if place.is_ahead and len(history.ids) - 1 not in shown:  # what was folded may reach beyond this history
            place = await follow(self.service, session_id, history, not_ahead=True)
            shown = await self._context(place.session_id, history)
        return shown

    async def _context(self, session_id: str, history: History) -> list[Shown]:
        """The session's context; what the log has beyond the history is left out."""
        turn = await self.service.context(session_id)
        places = {id_: place for place, id_ in enumerate(history.ids)}
        return [
            places.get(message.metadata.get("id", ""), message)
            for message in turn.messages
            if "summary_of" in message.metadata or message.metadata.get("id") in places
        ]

    async def _in_time(self, work: Awaitable[T]) -> T | None:
        """The work's result; None where it failed or was late, for reasons that are not the caller's."""
        try:
            async with asyncio.timeout(self.deadline_seconds):
                return await work
        except BadInput:
            raise
        except (TurnfoldError, TimeoutError) as error:
            _log.warning(telemetry.HISTORY_NOT_FOLLOWED, tenant=self.service.tenant, error=type(error).__name__)
            return None


def _led_by_a_user(shown: list[Shown], messages: Messages) -> list[Shown]:
    """A made message that everything but instructions follows, as one of a user."""
    for place, one in enumerate(shown):
        if isinstance(one, Message):
            shown[place] = Message.marked({**one, "role": "user"}, one.metadata)
            break
        if messages[one].get("role") not in INSTRUCTIONS:
            break
    return shown
