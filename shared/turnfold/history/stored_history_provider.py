"""A history in turnfold's session store: the one that is compacted by workers."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any, Unpack

from turnfold.errors import BadInput, NotFound
from turnfold.history.history_provider import HistoryOptions, HistoryProvider, first_usage
from turnfold.history.message_keys import ID
from turnfold.history.session import AgentSession
from turnfold.history.session_context import SessionContext
from turnfold.messages import Message
from turnfold.service import TurnfoldService
from turnfold.tokens import measuring

DEFAULT_SOURCE_ID = "stored"
_ONE_WRITE = "turn"


class StoredHistoryProvider(HistoryProvider):
    """Appends turns to a session of the service, and loads its context: summaries, and what follows them.

    The store's log stays whole; its policy says when a summary is due, and a worker makes it, so that no run waits.

    Args:
        service: the conversations of one tenant.
        source_id: names its part of an agent's session. A history that only records has a log of its own, whose id ends
            with it.
        options: as for every `HistoryProvider`.
    """

    defers_summaries = True

    def __init__(
        self,
        service: TurnfoldService | None,
        source_id: str = DEFAULT_SOURCE_ID,
        **options: Unpack[HistoryOptions],
    ) -> None:
        super().__init__(source_id, **options)
        self._service = service

    @property
    def service(self) -> TurnfoldService:
        """Whose sessions these are."""
        if self._service is None:
            raise BadInput("service", "is missing")
        return self._service

    async def get_messages(
        self, session_id: AgentSession | str, *, state: dict[str, Any] | None = None, **kwargs: Any
    ) -> list[Message]:
        """What the model gets of the session now, oldest first; nothing where there is no session yet."""
        budget = self.max_tokens if self.tokenizer is None else None
        try:
            turn = await self.service.context(self.stored_id(session_id), budget_tokens=budget)
        except NotFound:
            return []
        return turn.messages

    async def save_messages(
        self,
        session_id: AgentSession | str,
        messages: Sequence[Message],
        *,
        state: dict[str, Any] | None = None,
        usage: dict[str, int] | None = None,
        **kwargs: Any,
    ) -> None:
        """Appends the messages in one write, which may plan a summary; each gets the id that it has in the log."""
        appended = await self.service.append(
            self.stored_id(session_id),
            list(messages),
            usage=usage,
            idempotency_key=secrets.token_hex(12),  # a write whose answer is lost on its way is tried again
            digest=_ONE_WRITE,
        )
        for message, message_id in zip(messages, appended.ids, strict=True):
            message.metadata[ID] = message_id

    async def request_summary(self, session_id: str) -> None:
        await self.service.compact(self.stored_id(session_id))

    async def after_run(
        self, *, agent: Any, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        wanted = self.to_store(context)
        if wanted:
            await self.save_messages(session.session_id, wanted, state=state, usage=self._usage(context, wanted))

    def stored_id(self, session_id: AgentSession | str) -> str:
        """The id of the session in the store."""
        own = session_id.session_id if isinstance(session_id, AgentSession) else session_id
        return own if self.load_messages else f"{own}.{self.source_id}"

    def _usage(self, context: SessionContext, wanted: Sequence[Message]) -> dict[str, int] | None:
        """The reported tokens of what the store had when the model was called, and of what is sent beside messages.

        The store compares them with its own count, and so learns how much instructions and tools cost. Of no use where
        what was sent is not what the store would have given.
        """
        usage = first_usage(context)
        if usage is None or self.is_bounded or context.conversation is not None:
            return None
        measure = measuring(self.service.policy.tokenizer)
        said = sum(measure(message)[0] for message in context.input_messages)
        return {"prompt_tokens": max(0, usage.prompt_tokens - said)}
