"""API keys in this process."""

from __future__ import annotations

from turnfold.sessions.api_keys import StoredKey
from turnfold.sessions.memory_state import MemoryState


class MemoryApiKeys(MemoryState):
    """The part of the store that knows API keys."""

    async def api_keys(self) -> list[StoredKey]:
        return sorted(self._api_keys.values(), key=lambda one: (one.created_at_ms, one.digest))

    async def add_api_key(self, key: StoredKey) -> None:
        self._api_keys[key.digest] = key

    async def drop_api_key(self, digest: str) -> bool:
        return self._api_keys.pop(digest, None) is not None
