"""Where whole sessions are kept between runs, and over restarts."""

from __future__ import annotations

from abc import ABC, abstractmethod

from turnfold import jsonio
from turnfold.history.session import AgentSession


class SessionStore(ABC):
    """Whole sessions by an id that the caller chooses. The last write wins; all kinds obey the same tests.

        store = FileSessionStore("sessions")
        session = await store.get("user-42") or agent.create_session()
        await agent.run("…", session=session)
        await store.set("user-42", session)

    Raises (each method):
        BadInput: the id is not valid, or a value of the session has no registered type.
        Unavailable: the store is out of reach.
    """

    @abstractmethod
    async def get(self, session_id: str) -> AgentSession | None:
        """A session of one's own, as it was when it was set; None: there is none."""

    @abstractmethod
    async def set(self, session_id: str, session: AgentSession) -> None:
        """Keeps the session as it is now."""

    @abstractmethod
    async def delete(self, session_id: str) -> None:
        """Erases it; nothing where there is none."""

    async def close(self) -> None:  # noqa: B027 - most hold nothing open
        """Lets go of what the store holds open."""


def written(session: AgentSession) -> bytes:
    """The session as stores keep it."""
    return jsonio.dumps(session.to_dict())


def read(text: bytes) -> AgentSession:
    """The inverse of `written`."""
    return AgentSession.from_dict(jsonio.loads(text))
