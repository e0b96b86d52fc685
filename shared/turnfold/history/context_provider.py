"""What a provider does around a run."""

from __future__ import annotations

from typing import Any

from turnfold.errors import BadInput
from turnfold.history.session import AgentSession
from turnfold.history.session_context import SessionContext


class ContextProvider:
    """Adds to a run before the model is called, and sees what came of it. Override one hook or both.

    One provider serves all sessions of its agent: what belongs to a session goes into `state`.

    Args:
        source_id: unique among the providers of an agent; names its part of a session's state.
    """

    def __init__(self, source_id: str) -> None:
        if not isinstance(source_id, str) or not source_id:  # pyright: ignore[reportUnnecessaryIsInstance]  # callers
            raise BadInput("source_id", f"must be a string that is not empty, not {source_id!r}")
        self.source_id = source_id

    async def before_run(
        self, *, agent: Any, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Called in the order of the providers, before the first model call of a run.

        Args:
            agent: whose run it is; None where the provider is registered with a client.
            context: to add messages, instructions and tools to.
            state: the provider's part of the session's state.
        """

    async def after_run(
        self, *, agent: Any, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Called after a run that succeeded, with the response in the context; the turn is in the history by then.

        What it raises is logged, and costs the caller neither the reply nor the turn.
        """
