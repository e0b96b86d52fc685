"""A history in the session itself."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any, Unpack, cast

from turnfold.history.chat_reducer import ChatReducer, as_reducing_strategy
from turnfold.history.compaction_view import read_view, write_view
from turnfold.history.conversation import Conversation, Strategy
from turnfold.history.history_provider import HistoryOptions, HistoryProvider
from turnfold.history.message_keys import ID, id_of
from turnfold.history.message_list import MessageList
from turnfold.history.session import AgentSession
from turnfold.history.session_context import SessionContext
from turnfold.history.stamps import without_stamp
from turnfold.messages import Message

MESSAGES = "messages"
DEFAULT_SOURCE_ID = "in_memory"


class InMemoryHistoryProvider(HistoryProvider):
    """Keeps the whole history in the session's state, so that it is stored and restored with the session.

    Args:
        source_id: names its part of the state.
        reducer: what of the history goes into a run: a `ChatReducer`, or any strategy. The history stays whole; what
            the reducer made of it, a summary above all, is kept beside it and not made again.
        options: as for every `HistoryProvider`.
    """

    def __init__(
        self,
        source_id: str = DEFAULT_SOURCE_ID,
        *,
        reducer: ChatReducer | Strategy | None = None,
        **options: Unpack[HistoryOptions],
    ) -> None:
        super().__init__(source_id, **options)
        self.reducer = None if reducer is None else as_reducing_strategy(reducer)

    def get_messages(
        self, session_id: AgentSession | str | None = None, *, state: dict[str, Any] | None = None, **kwargs: Any
    ) -> MessageList:
        """The whole history of a session, oldest first.

        Args:
            session_id: the session itself; or its id, with `state`.
        """
        if isinstance(session_id, AgentSession):
            state = session_id.state_of(self.source_id) if self.source_id in session_id.state else None
        return MessageList(_stored(state)) if state else MessageList()

    async def save_messages(
        self,
        session_id: AgentSession | str | None,
        messages: Sequence[Message],
        *,
        state: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Appends copies of the messages; each gets an id that is unique in the history."""
        if isinstance(session_id, AgentSession):
            state = session_id.state_of(self.source_id)
        if state is None:
            return
        kept = _stored(state)
        taken = {id_of(message) for message in kept}
        for message in messages:
            message_id = _free_id(message, taken)
            taken.add(message_id)
            if id_of(message) is None:
                message.metadata[ID] = message_id
            copy = without_stamp(message)
            copy.metadata[ID] = message_id
            kept.append(copy)
        state[MESSAGES] = kept

    async def before_run(
        self, *, agent: Any, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        await super().before_run(agent=agent, session=session, context=context, state=state)
        loaded = context.context_messages.get(self.source_id)
        if self.reducer is None or not loaded:
            return
        tokenizer = self.tokenizer or context.tokenizer
        conversation = Conversation(loaded, view=read_view(state), tokenizer=tokenizer, keep_unresolved=self.is_bounded)
        await conversation.compact(self.reducer)
        write_view(state, conversation.view())
        context.context_messages[self.source_id] = conversation.projection()

    def __repr__(self) -> str:
        return f"<InMemoryHistoryProvider {self.source_id}>"


def _stored(state: dict[str, Any]) -> list[Message]:
    return cast("list[Message]", state.get(MESSAGES) or [])


def _free_id(message: Message, taken: set[str | None]) -> str:
    given = id_of(message) or message.get(ID)
    if isinstance(given, str) and given and given not in taken:
        return given
    return f"msg_{secrets.token_hex(10)}"
