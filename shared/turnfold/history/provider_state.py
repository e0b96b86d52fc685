"""A provider's own state in a session, typed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar, cast

from turnfold.history.session import AgentSession

T = TypeVar("T")


class StateSerializer(Protocol):
    """Writes a state as text and reads it back: the module `json`, or anything of its shape."""

    def dumps(self, value: Any, /) -> Any: ...

    def loads(self, text: Any, /) -> Any: ...


class ProviderSessionState(Generic[T]):
    """One value of a type that a provider keeps in each session.

    Args:
        initializer: makes the value for a session that has none; called with None where there is no session.
        key: where it stands in `session.state`; unique among the providers of an agent.
        serializer: writes and reads values that a session could not store itself; None: JSON's types, and registered
            ones, are stored as they are.

        state = ProviderSessionState(lambda session: {"key": uuid4().hex}, "database")
        value = state.get_or_initialize(session)
        state.save(session, value)
    """

    def __init__(
        self,
        initializer: Callable[[AgentSession | None], T],
        key: str,
        serializer: StateSerializer | None = None,
    ) -> None:
        self.initializer, self.key, self.serializer = initializer, key, serializer

    def get_or_initialize(self, session: AgentSession | None) -> T:
        """The session's value; a new one, which is kept, where there is none."""
        if session is None:
            return self.initializer(None)
        if self.key in session.state:
            stored = session.state[self.key]
            return cast("T", stored if self.serializer is None else self.serializer.loads(stored))
        value = self.initializer(session)
        self.save(session, value)
        return value

    def save(self, session: AgentSession | None, value: T) -> None:
        """Keeps the value; without a session it is forgotten."""
        if session is not None:
            session.state[self.key] = value if self.serializer is None else self.serializer.dumps(value)

    get_or_initialize_state = get_or_initialize
    save_state = save
