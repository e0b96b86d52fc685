"""A capability that gives the model a folded view of the conversation."""

from __future__ import annotations

from typing import Any

from pydantic_ai import AgentRunResult, RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.tools import AgentDepsT

from turnfold.adapters.following.history_view import HistoryView
from turnfold.adapters.following.lines import assembled
from turnfold.adapters.pydantic_ai.reading import input_tokens_of, lines_of
from turnfold.adapters.pydantic_ai.writing import made_message, shown_message
from turnfold.service import TurnfoldService


class CompactingHistory(AbstractCapability[AgentDepsT]):
    """Summaries in place of old turns, where the model is concerned.

    The run's messages stay whole: only what a request sends is another list. A summary is made by a worker while nobody
    waits. Put it first in `capabilities`, so that it sees the messages as they are.

    Args:
        turnfold: the sessions that follow conversations, by the `conversation_id` of a run.
        session_id: the session that follows, where it is another one.
        deadline_seconds: how long turnfold's store may take before a request goes on without it.
    """

    def __init__(
        self, turnfold: TurnfoldService, *, session_id: str | None = None, deadline_seconds: float = 2.0
    ) -> None:
        self._view = HistoryView(turnfold, deadline_seconds=deadline_seconds)
        self._session_id = session_id

    async def before_model_request(
        self, ctx: RunContext[AgentDepsT], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Replaces the messages of this request."""
        messages = list(request_context.messages)
        lines = lines_of(messages)
        shown = assembled(
            await self._view.show(
                self._session(ctx),
                [line.message for line in lines],
                input_tokens=input_tokens_of(messages, lines),
            ),
            lines,
            part_of=lambda at, parts: shown_message(messages[at], parts),
            made=made_message,
        )
        if shown and isinstance(shown[-1], type(messages[-1])):  # a request is what the framework wants last
            request_context.messages = shown
        return request_context

    async def after_run(self, ctx: RunContext[AgentDepsT], *, result: AgentRunResult[Any]) -> AgentRunResult[Any]:
        """Brings the session up to the turn that has ended, so that a summary may be ready before the next one."""
        await self.follow(self._session(ctx), result.all_messages())
        return result

    async def follow(self, session_id: str | None, messages: list[ModelMessage]) -> None:
        """Brings a session up to a history: one that was there before this capability, for example."""
        lines = lines_of(messages)
        chat = [line.message for line in lines]
        await self._view.follow(session_id, chat, input_tokens=input_tokens_of(messages, lines))

    def _session(self, ctx: RunContext[AgentDepsT]) -> str | None:
        return self._session_id or ctx.conversation_id
