"""Searching a session's originals: in the index, and in what it has not got yet."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

from turnfold.recall.hit import Hit, hit_of
from turnfold.recall.indexing import PAGE, log_from, usable
from turnfold.recall.text_index import UNREADABLE, Found, TextIndex
from turnfold.sessions.entry import Entry
from turnfold.sessions.made import StoredIndex
from turnfold.sessions.session_key import SessionKey
from turnfold.sessions.store import Read, SessionStore


async def search_session(store: SessionStore, key: SessionKey, query: str, *, limit: int) -> list[Hit] | None:
    """The messages that match, best first; None where there is no such session."""
    index = await store.read_index(key)
    read = await store.read_log(key, index.through if index else 0, PAGE)
    if read is None:
        return None
    found = await _Search(store, key, query, limit).found(read, usable(index, read.head))
    entries = await store.read_entries(key, [one.position for one in found])
    return [hit_of(one, entries[one.position], read.view) for one in found if one.position in entries]


@dataclass(frozen=True, slots=True)
class _Search:
    store: SessionStore
    key: SessionKey
    query: str
    limit: int

    async def found(self, read: Read, index: StoredIndex | None) -> Sequence[Found]:
        """Where the matches are; `read` is the first page behind the index."""
        if index is not None:
            more = [*read.entries.values(), *await self._log_from(index.through + PAGE)]
            # Beside the loop, but not where appends wait: SQLite works without Python's lock.
            found = await asyncio.to_thread(self._in, index.data, more)
            if found is not None:
                return found
        return await asyncio.to_thread(self._in, None, await self._log_from(0)) or ()

    async def _log_from(self, after: int) -> list[Entry]:
        return [entry async for page in log_from(self.store, self.key, after) for entry in page]

    def _in(self, data: bytes | None, more: Sequence[Entry]) -> list[Found] | None:
        """Found in the index and in these messages; None where the index can't be read."""
        try:
            with closing(TextIndex(data)) as index:
                index.add(more)
                return index.search(self.query, self.limit)
        except UNREADABLE:
            if data is None:
                raise
            return None
