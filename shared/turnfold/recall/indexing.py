"""Keeping a session's search index up to date: a worker's job, after it has folded something."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import closing

from turnfold.recall.text_index import FORMAT, UNREADABLE, TextIndex
from turnfold.sessions.entry import Entry
from turnfold.sessions.head import Head
from turnfold.sessions.made import StoredIndex
from turnfold.sessions.session_key import SessionKey
from turnfold.sessions.store import SessionStore

PAGE = 500
# What a search reads besides the index is at most this, or an eighth of what the index has: each message is written
# into the store's copy of the index a few times at most, however long the session gets.
LEAST_NEW_TOKENS = 4000
SHARE_OF_NEW = 8


async def index_session(store: SessionStore, key: SessionKey) -> bool:
    """Takes into the index what it lacks, if that is much; whether it did."""
    head = await store.read_head(key)
    known = await store.read_index(key, with_data=False)
    if head is None or not _is_due(head, known):
        return False
    base = usable(await store.read_index(key), head)
    return await _extend(store, key, head, base) or (base is not None and await _extend(store, key, head, None))


async def _extend(store: SessionStore, key: SessionKey, head: Head, base: StoredIndex | None) -> bool:
    """Keeps the index with what came since; False: it can't be read, or be kept."""
    entries = [entry async for page in log_from(store, key, base.through if base else 0) for entry in page]
    data = await asyncio.to_thread(_extended, base.data if base else None, entries) if entries else None
    if data is None:
        return False
    index = StoredIndex(
        incarnation=head.incarnation,
        erased=head.erased,
        format=FORMAT,
        through=entries[-1].position,
        tokens=_tokens(head),
        data=data,
    )
    return await store.keep_index(key, index)


def usable(index: StoredIndex | None, head: Head) -> StoredIndex | None:
    """The index, if it is of this very session as it is, and in a form that can be read."""
    if index is None or (index.incarnation, index.erased, index.format) != (head.incarnation, head.erased, FORMAT):
        return None
    return index


async def log_from(store: SessionStore, key: SessionKey, after: int) -> AsyncIterator[Sequence[Entry]]:
    """The messages behind position `after`, some at a time."""
    while (read := await store.read_log(key, after, PAGE)) is not None and after < read.head.length:
        yield list(read.entries.values())
        after += PAGE


def _is_due(head: Head, index: StoredIndex | None) -> bool:
    base = usable(index, head)
    if base is None:
        return head.length > 0
    return _tokens(head) - base.tokens >= max(LEAST_NEW_TOKENS, base.tokens // SHARE_OF_NEW)


def _tokens(head: Head) -> int:
    return int(head.state["all"]["tokens"]) if head.state else 0


def _extended(data: bytes | None, entries: Sequence[Entry]) -> bytes | None:
    """The index with these messages; None where it can't be read."""
    try:
        with closing(TextIndex(data)) as index:
            index.add(entries)
            return index.dump()
    except UNREADABLE:
        if data is None:
            raise
        return None
