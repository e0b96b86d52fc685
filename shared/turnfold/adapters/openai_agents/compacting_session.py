"""A session of openai-agents whose history the model gets folded."""

from __future__ import annotations

from agents.items import TResponseInputItem
from agents.memory import Session
from agents.memory.session import SessionABC

from turnfold import telemetry
from turnfold.adapters.following.history_view import HistoryView
from turnfold.adapters.openai_agents.bounded import newest_within
from turnfold.adapters.openai_agents.items import items_of, messages_of, settled
from turnfold.errors import BadInput
from turnfold.messages import Message
from turnfold.service import TurnfoldService

# A session's own limit must not hide items from the session that follows it.
ALL = 2**31 - 1
_log = telemetry.logger(__name__)


class CompactingSession(SessionABC):
    """Your session, with summaries in place of old turns where the model is concerned.

    All items are stored by `inner`, and nothing else ever is: without this class around it, the whole history is there.
    A summary is made by a worker while nobody waits, and stands in `get_items()` alone.

    Args:
        inner: where the history is kept: `SQLiteSession`, `RedisSession`, …. A limit in its `session_settings` bounds
            what the model gets beside the summary.
        turnfold: the sessions that follow it.
        deadline_seconds: how long turnfold's store may take before a turn goes on without it.
    """

    def __init__(self, inner: Session, *, turnfold: TurnfoldService, deadline_seconds: float = 2.0) -> None:
        self.inner = inner
        self.session_id = inner.session_id
        self._view = HistoryView(turnfold, deadline_seconds=deadline_seconds)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """What the model should get; with a limit, the newest items as they were stored.

        The runner asks with a limit to see what it has just written, before it takes that back and tries again.
        """
        if limit is not None:
            return await self.inner.get_items(limit=limit)
        items = await self._all()
        messages = self._readable(items)
        if messages is None:
            return items
        known = settled(messages)
        shown = await self._view.show(self.session_id, messages[:known])
        bounded = newest_within(self._limit, [*shown, *range(known, len(messages))], messages)
        return items_of(bounded, messages)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Stores the items, and may have a summary made for the next turn."""
        await self.inner.add_items(items)
        await self.follow()

    async def follow(self) -> None:
        """Brings turnfold's session up to the history: for one that was there before, ahead of its next turn."""
        messages = self._readable(await self._all())
        if messages is not None:
            await self._view.follow(self.session_id, messages[: settled(messages)])

    async def pop_item(self) -> TResponseInputItem | None:
        """Takes the newest item out of the history. Another one in its place begins a branch."""
        return await self.inner.pop_item()

    async def clear_session(self) -> None:
        """Clears the history, and erases what turnfold has of it."""
        await self.inner.clear_session()
        await self._view.forget(self.session_id)

    @property
    def _limit(self) -> int | None:
        settings = getattr(self.inner, "session_settings", None)
        return settings.limit if settings else None

    @property
    def _ignore_ids_for_matching(self) -> bool:
        """How the runner compares the items of this session: as those of the one within."""
        return bool(getattr(self.inner, "_ignore_ids_for_matching", False))

    async def _all(self) -> list[TResponseInputItem]:
        return await (self.inner.get_items() if self._limit is None else self.inner.get_items(limit=ALL))

    def _readable(self, items: list[TResponseInputItem]) -> list[Message] | None:
        """The items as messages; None where one is of a kind that can't be read: they are shown as they are."""
        try:
            return messages_of(items)
        except BadInput as error:
            _log.warning(telemetry.HISTORY_NOT_FOLLOWED, error=type(error).__name__, field=error.path)
            return None
