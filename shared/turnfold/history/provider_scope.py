"""A provider's part of a session's state, for the time of one hook."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from turnfold.history.session import AgentSession


@contextmanager
def provider_scope(session: AgentSession, source_id: str) -> Generator[dict[str, Any]]:
    """The state to be handed to a hook; a provider that keeps nothing leaves no trace in the session."""
    state = session.state_of(source_id)
    try:
        yield state
    finally:
        kept = session.state.get(source_id)
        if kept is state and not state:
            del session.state[source_id]
        elif kept is not state and state:  # another run of the session took the empty state away meanwhile
            session.state[source_id] = {**(kept or {}), **state}
