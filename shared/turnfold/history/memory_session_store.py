"""Whole sessions in this process."""

from __future__ import annotations

from turnfold.history.session import AgentSession
from turnfold.history.session_store import SessionStore, read, written
from turnfold.sessions.session_key import checked_session_id


class MemorySessionStore(SessionStore):
    """Gone with the process; for tests and scripts. It refuses what the others could not store either."""

    def __init__(self) -> None:
        self._sessions: dict[str, bytes] = {}

    async def get(self, session_id: str) -> AgentSession | None:
        text = self._sessions.get(checked_session_id(session_id, "session_id"))
        return None if text is None else read(text)

    async def set(self, session_id: str, session: AgentSession) -> None:
        self._sessions[checked_session_id(session_id, "session_id")] = written(session)

    async def delete(self, session_id: str) -> None:
        self._sessions.pop(checked_session_id(session_id, "session_id"), None)
