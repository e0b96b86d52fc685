"""Heads that this process wrote last, so that an append is one round trip.

A cached head is a guess: the write compares its version, and is told the present head where the guess was wrong.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from turnfold.sessions.head import Head
from turnfold.sessions.session_key import SessionKey

CAPACITY = 4096


class HeadCache:
    """The newest heads, and one writer a session in this process: its own writers never make each other stale."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._heads: OrderedDict[SessionKey, Head] = OrderedDict()
        self._orders: dict[SessionKey, tuple[asyncio.Lock, int]] = {}

    def get(self, key: SessionKey) -> Head | None:
        return self._heads.get(key)

    def put(self, key: SessionKey, head: Head) -> None:
        self._heads[key] = head
        self._heads.move_to_end(key)
        if len(self._heads) > self._capacity:
            self._heads.popitem(last=False)

    def drop(self, key: SessionKey) -> None:
        self._heads.pop(key, None)

    @asynccontextmanager
    async def order(self, key: SessionKey) -> AsyncGenerator[None]:
        """Held by one writer of a session at a time; first come, first served."""
        lock, users = self._orders.get(key, (asyncio.Lock(), 0))
        self._orders[key] = (lock, users + 1)
        try:
            async with lock:
                yield
        finally:
            lock, users = self._orders.pop(key)
            if users > 1:
                self._orders[key] = (lock, users - 1)
