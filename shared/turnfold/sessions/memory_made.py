"""What workers make of sessions, in this process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from turnfold import jsonio
from turnfold.sessions.entry import Entry, read_entry
from turnfold.sessions.made import StoredIndex
from turnfold.sessions.memory_jobs import MemoryJobs
from turnfold.sessions.memory_state import MemorySession
from turnfold.sessions.session_key import SessionKey


class MemoryMade(MemoryJobs):
    """The part of the store that keeps search indexes and marks."""

    async def read_entries(self, key: SessionKey, positions: Sequence[int]) -> dict[int, Entry]:
        session = self._find(key)
        lines = session.lines if session else []
        found = (read_entry(one, lines[one - 1]) for one in positions if 1 <= one <= len(lines))
        return {entry.position: entry for entry in found if entry is not None}

    async def some_summaries(self, key: SessionKey, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        session = self._find(key)
        known = session.summaries if session else {}
        return {name: jsonio.loads(known[name]) for name in ids if name in known}

    async def read_index(self, key: SessionKey, *, with_data: bool = True) -> StoredIndex | None:
        session = self._find(key)
        if session is None or session.index is None:
            return None
        return session.index if with_data else replace(session.index, data=b"")

    async def keep_index(self, key: SessionKey, index: StoredIndex) -> bool:
        session = self._unchanged(key, index.incarnation, index.erased)
        if session is None:
            return False
        if session.index is None or session.index.through <= index.through:
            session.index = index
        return True

    async def marks(self, key: SessionKey) -> dict[str, str]:
        session = self._find(key)
        return dict(session.marks) if session else {}

    async def keep_marks(self, key: SessionKey, incarnation: str, erased: int, marks: Mapping[str, str]) -> bool:
        session = self._unchanged(key, incarnation, erased)
        if session is None:
            return False
        session.marks.update(marks)
        return True

    def _unchanged(self, key: SessionKey, incarnation: str, erased: int) -> MemorySession | None:
        session = self._find(key)
        is_same = session is not None and (session.head.incarnation, session.head.erased) == (incarnation, erased)
        return session if is_same else None
