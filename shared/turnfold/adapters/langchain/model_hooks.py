"""Hooks for agents of LangGraph that take no middleware: `create_react_agent`, and graphs of your own."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeAlias

from langchain_core.runnables import RunnableLambda

from turnfold.adapters.following.history_view import HistoryView
from turnfold.adapters.following.loop_bridge import bridge_for
from turnfold.adapters.langchain.thread import SessionId, session_of
from turnfold.adapters.langchain.viewing import follow_messages, shown_messages
from turnfold.service import TurnfoldService

State: TypeAlias = Mapping[str, Any]
Update: TypeAlias = dict[str, Any]
Hook: TypeAlias = RunnableLambda[State, Update]


def pre_model_hook(turnfold: TurnfoldService, *, session_id: SessionId = None, deadline_seconds: float = 2.0) -> Hook:
    """A node before the model's: the model gets summaries and what follows them, the state stays as it is."""
    view = HistoryView(turnfold, deadline_seconds=deadline_seconds)

    async def shown(session: str | None, state: State) -> Update:
        return {"llm_input_messages": await shown_messages(view, session, state["messages"])}

    return _hook(turnfold, session_id, shown)


def post_model_hook(turnfold: TurnfoldService, *, session_id: SessionId = None, deadline_seconds: float = 2.0) -> Hook:
    """A node after the model's: the session hears of the reply at once, so that a summary may be ready earlier."""
    view = HistoryView(turnfold, deadline_seconds=deadline_seconds)

    async def follow(session: str | None, state: State) -> Update:
        await follow_messages(view, session, state["messages"])
        return {}

    return _hook(turnfold, session_id, follow)


def _hook(
    turnfold: TurnfoldService, session_id: SessionId, work: Callable[[str | None, State], Coroutine[Any, Any, Update]]
) -> Hook:
    bridge = bridge_for(turnfold)

    def hook(state: State) -> Update:
        return bridge.wait(work(session_of(session_id, state), state))

    async def ahook(state: State) -> Update:
        return await bridge.run(work(session_of(session_id, state), state))

    return RunnableLambda(hook, ahook)
