"""Whose conversation a call belongs to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from langgraph.config import get_config

SessionId: TypeAlias = str | Callable[[Mapping[str, Any]], str | None] | None
"""A session's id, a function of the graph's state that tells it, or None: the thread's."""

# Agents that are called as tools begin anew each time: nobody keeps their histories.
TOOLS = "tools"


def session_of(given: SessionId, state: Mapping[str, Any]) -> str | None:
    """The session's id; None where nobody keeps the conversation."""
    if callable(given):
        return given(state)
    return given if given is not None else _thread()


def _thread() -> str | None:
    """The thread's id, with the names of the graphs that this one stands in."""
    settings: Mapping[str, Any] = get_config().get("configurable", {})
    thread = settings.get("thread_id")
    if thread is None:
        return None
    namespace = str(settings.get("checkpoint_ns") or "")
    outer = [step.partition(":")[0] for step in namespace.split("|")[:-1]]
    return None if TOOLS in outer else ":".join([str(thread), *outer])
