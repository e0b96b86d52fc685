"""A message history of LangChain in a session of turnfold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import BaseMessage, convert_to_messages

from turnfold.adapters.following.loop_bridge import bridge_for
from turnfold.adapters.langchain.reading import chat_message
from turnfold.errors import NotFound
from turnfold.messages import Message
from turnfold.service import TurnfoldService

WHOLE = 2**31


class TurnfoldChatMessageHistory(BaseChatMessageHistory):
    """Keeps messages in a session; `messages` is what the model should get, `all_messages()` everything.

    The log is append-only and always whole: summaries stand in `messages` alone.

    Args:
        session_id: of the session; made with its first message.
        turnfold: where it is kept. Where you make synchronous calls, make one for the adapters alone: its store is
            then used from a thread of its own.
    """

    def __init__(self, session_id: str, *, turnfold: TurnfoldService) -> None:
        self.session_id, self.turnfold = session_id, turnfold
        self._bridge = bridge_for(turnfold)

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]  # there it is a plain attribute
        return self._bridge.wait(self._shown())

    async def aget_messages(self) -> list[BaseMessage]:
        return await self._bridge.run(self._shown())

    def all_messages(self) -> list[BaseMessage]:
        """The whole log."""
        return self._bridge.wait(self._all())

    async def aall_messages(self) -> list[BaseMessage]:
        """The whole log."""
        return await self._bridge.run(self._all())

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        self._bridge.wait(self._append(messages))

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        await self._bridge.run(self._append(messages))

    def clear(self) -> None:
        self._bridge.wait(self._delete())

    async def aclear(self) -> None:
        await self._bridge.run(self._delete())

    async def _shown(self) -> list[BaseMessage]:
        try:
            turn = await self.turnfold.context(self.session_id)
        except NotFound:
            return []
        return _as_messages(turn.messages)

    async def _all(self) -> list[BaseMessage]:
        try:
            read = await self.turnfold.messages(self.session_id, limit=WHOLE)
        except NotFound:
            return []
        return _as_messages([read.entries[position].message for position in sorted(read.entries)])

    async def _append(self, messages: Sequence[BaseMessage]) -> None:
        if messages:
            await self.turnfold.append(self.session_id, [_stored(message) for message in messages])

    async def _delete(self) -> None:
        try:
            await self.turnfold.delete(self.session_id)
        except NotFound:
            return


def _stored(message: BaseMessage) -> dict[str, Any]:
    """The message with its id, so that it is known again."""
    said = chat_message(message)
    return {**said, "id": message.id} if message.id else said


def _as_messages(messages: Sequence[Message]) -> list[BaseMessage]:
    return convert_to_messages([dict(message) for message in messages])
