"""API keys in Redis: one hash, read as a whole."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, cast

from turnfold import jsonio
from turnfold.sessions import keys
from turnfold.sessions.api_keys import StoredKey
from turnfold.sessions.redis_connection import RedisConnection


class RedisApiKeys(RedisConnection):
    """The part of the store that knows API keys."""

    async def api_keys(self) -> list[StoredKey]:
        found: list[bytes] = await self.ask(cast("Awaitable[Any]", self.client.hvals(keys.API_KEYS)))
        stored = [StoredKey.from_json(jsonio.loads(text)) for text in found]
        return sorted(stored, key=lambda one: (one.created_at_ms, one.digest))

    async def add_api_key(self, key: StoredKey) -> None:
        text = jsonio.dumps(key.to_json())
        await self.ask(cast("Awaitable[Any]", self.client.hset(keys.API_KEYS, key.digest, text)))

    async def drop_api_key(self, digest: str) -> bool:
        return bool(await self.ask(cast("Awaitable[Any]", self.client.hdel(keys.API_KEYS, digest))))
