"""All keys that are known: those of the settings, and those of the store, which come and go while the server runs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from turnfold.errors import Unavailable
from turnfold.sessions.store import SessionStore
from turnfold_api.api_keys import ApiKeys, Caller

# A key that is made or revoked is known to be so after this long.
FRESH_SECONDS = 5.0


class KeyRing:
    """
    Args:
        of_settings: keys that hold as long as the process runs.
        store: where the others are; asked when it is first needed.
        required: ask for a key even where none is known yet.
    """

    def __init__(self, of_settings: ApiKeys, store: Callable[[], SessionStore], *, required: bool = False) -> None:
        self._of_settings, self._store = of_settings, store
        self._stored = ApiKeys()
        self._required = required or bool(of_settings)
        self._read_at = float("-inf")
        self._reading = asyncio.Lock()

    @property
    def is_required(self) -> bool:
        """Whether calls need a key. It stays so until the process ends: the last key that is revoked opens nothing."""
        return self._required

    async def refresh(self) -> None:
        """Reads the store's keys, unless that was done a moment ago.

        Raises:
            Unavailable: it was never done, and can't be done now: whether a key is needed is not known.
        """
        if self._is_fresh():
            return
        async with self._reading:
            if not self._is_fresh():
                await self._read()

    def caller_of(self, key: bytes) -> Caller | None:
        """Whose key it is."""
        return self._of_settings.caller_of(key) or self._stored.caller_of(key)

    def _is_fresh(self) -> bool:
        return time.monotonic() - self._read_at < FRESH_SECONDS

    async def _read(self) -> None:
        try:
            found = await self._store().api_keys()
        except Unavailable:
            if not self._required and self._read_at == float("-inf"):
                raise
        else:
            callers = ((bytes.fromhex(key.digest), Caller(key.tenant, key.may_write)) for key in found)
            self._stored = ApiKeys(tuple(callers))
            self._required = self._required or bool(self._stored)
        self._read_at = time.monotonic()
