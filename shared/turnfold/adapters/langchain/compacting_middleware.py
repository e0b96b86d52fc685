"""A middleware that gives the model a folded view of the thread."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from langchain.agents.middleware.types import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain_core.messages import AnyMessage
from langgraph.runtime import Runtime

from turnfold.adapters.following.history_view import HistoryView
from turnfold.adapters.following.loop_bridge import bridge_for
from turnfold.adapters.langchain.thread import SessionId, session_of
from turnfold.adapters.langchain.viewing import follow_messages, shown_messages
from turnfold.service import TurnfoldService


class CompactingMiddleware(AgentMiddleware[AgentState[Any], Any, Any]):
    """Summaries in place of old turns, where the model is concerned.

    The state keeps all messages, and so does the checkpoint: nothing is ever added to it or taken out. A summary is
    made by a worker while nobody waits. Put it first in `middleware`, so that it sees the messages as they are.

    Args:
        turnfold: the sessions that follow the threads. Where you use `invoke`, make one for the adapters alone: its
            store is then used from a thread of its own.
        session_id: which session follows; the thread's id if not given. Without a thread nothing is stored, and the
            policy's steps that need no model are all there is.
        deadline_seconds: how long turnfold's store may take before a call goes on without it.
    """

    def __init__(
        self, turnfold: TurnfoldService, *, session_id: SessionId = None, deadline_seconds: float = 2.0
    ) -> None:
        super().__init__()
        self._view = HistoryView(turnfold, deadline_seconds=deadline_seconds)
        self._bridge = bridge_for(turnfold)
        self._session_id = session_id

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        return handler(request.override(messages=self._bridge.wait(self._shown(request, self._session(request.state)))))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        shown = await self._bridge.run(self._shown(request, self._session(request.state)))
        return await handler(request.override(messages=shown))

    def after_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        """Brings the session up to the turn that has ended, so that a summary may be ready before the next one."""
        self._bridge.wait(self._follow(state["messages"], self._session(state)))

    async def aafter_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        """As `after_agent`."""
        await self._bridge.run(self._follow(state["messages"], self._session(state)))

    async def follow(self, session_id: str, messages: Sequence[AnyMessage]) -> None:
        """Brings a session up to a history: for a thread that was there before, ahead of its next turn."""
        await self._bridge.run(self._follow(messages, session_id))

    def _session(self, state: Any) -> str | None:
        return session_of(self._session_id, state)

    async def _shown(self, request: ModelRequest[Any], session_id: str | None) -> list[AnyMessage]:
        history: Sequence[AnyMessage] = request.state.get("messages", [])
        if [message.id for message in history] != [message.id for message in request.messages]:
            history = request.messages  # somebody else took messages out or put some in
        shown: list[Any] = await shown_messages(self._view, session_id, history, as_sent=request.messages)
        return shown

    async def _follow(self, messages: Sequence[AnyMessage], session_id: str | None) -> None:
        await follow_messages(self._view, session_id, messages)
