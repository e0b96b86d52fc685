"""A history provider whose history the model gets folded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agent_framework import HistoryProvider, Message

from turnfold.adapters.agent_framework.reading import lines_of
from turnfold.adapters.agent_framework.writing import message_of, shown_message
from turnfold.adapters.following.history_view import HistoryView
from turnfold.adapters.following.lines import assembled
from turnfold.service import TurnfoldService


class CompactingHistory(HistoryProvider):
    """Your history provider, with summaries in place of old turns where the model is concerned.

    All messages are stored by `inner`, under its own `source_id`, and nothing else ever is: with `inner` in its place,
    the whole history is there. A summary is made by a worker while nobody waits.

    Args:
        inner: where the history is kept, with its settings of what is loaded and stored.
        turnfold: the sessions that follow it.
        deadline_seconds: how long turnfold's store may take before a turn goes on without it.

    Raises:
        ValueError: `inner` leaves out messages that another strategy has hidden, so that nobody sees the history whole.
    """

    def __init__(self, inner: HistoryProvider, *, turnfold: TurnfoldService, deadline_seconds: float = 2.0) -> None:
        if getattr(inner, "skip_excluded", False):
            raise ValueError("inner: must not skip excluded messages; what was hidden there would be lost here")
        super().__init__(
            inner.source_id,
            load_messages=inner.load_messages,
            store_inputs=inner.store_inputs,
            store_context_messages=inner.store_context_messages,
            store_context_from=inner.store_context_from,
            store_outputs=inner.store_outputs,
        )
        self.inner = inner
        self._view = HistoryView(turnfold, deadline_seconds=deadline_seconds)

    async def get_messages(
        self, session_id: str | None, *, state: dict[str, Any] | None = None, **kwargs: Any
    ) -> list[Message]:
        """What the model should get."""
        messages = await self.inner.get_messages(session_id, state=state, **kwargs)
        lines = lines_of(messages)
        return assembled(
            await self._view.show(session_id, [line.message for line in lines]),
            lines,
            part_of=lambda at, parts: shown_message(messages[at], parts),
            made=message_of,
        )

    async def save_messages(
        self,
        session_id: str | None,
        messages: Sequence[Message],
        *,
        state: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Stores the messages, and may have a summary made for the next turn."""
        await self.inner.save_messages(session_id, messages, state=state, **kwargs)
        await self.follow(session_id, state=state, **kwargs)

    async def follow(self, session_id: str | None, *, state: dict[str, Any] | None = None, **kwargs: Any) -> None:
        """Brings turnfold's session up to the history: for one that was there before, ahead of its next turn."""
        stored = await self.inner.get_messages(session_id, state=state, **kwargs)
        await self._view.follow(session_id, [line.message for line in lines_of(stored)])

    async def forget(self, session_id: str) -> None:
        """Erases what turnfold has of a session. The history itself is its provider's."""
        await self._view.forget(session_id)
