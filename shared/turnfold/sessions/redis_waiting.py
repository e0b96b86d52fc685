"""Sessions that are to be looked at, in Redis."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, cast

from turnfold.sessions import keys
from turnfold.sessions.redis_connection import RedisConnection
from turnfold.sessions.session_key import SHARDS, SessionKey


class RedisWaiting(RedisConnection):
    """The part of the store that sweeps read."""

    async def look_later(self, key: SessionKey, delay_ms: int) -> None:
        at = await self.now_ms() + delay_ms
        await self.ask(self.client.zadd(keys.waiting(key.shard), {keys.expiring_member(key): at}))

    async def waiting_sessions(self, limit: int) -> list[tuple[int, SessionKey]]:
        now = await self.now_ms()
        async with self.client.pipeline(transaction=False) as pipe:
            for shard in range(SHARDS):
                pipe.zrange(keys.waiting(shard), "-inf", now, byscore=True, offset=0, num=limit, withscores=True)
            found = await self.ask(pipe.execute())
        waiting = ((int(score), keys.session_of_member(name.decode())) for shard in found for name, score in shard)
        return sorted(waiting)[:limit]

    async def looked_at(self, key: SessionKey, since_ms: int) -> None:
        await self.run("looked_at", [keys.waiting(key.shard)], [keys.expiring_member(key), since_ms])

    async def swept_policies(self, tenant: str) -> list[str]:
        names = list({"", tenant})
        found: list[bytes | None] = await self.ask(
            cast("Awaitable[Any]", self.client.hmget(keys.SWEPT_POLICY, names))
        )  # fmt: skip
        return [digest.decode() for digest in found if digest is not None]

    async def note_swept_policy(self, digest: str, tenant: str = "", *, first: bool = False) -> None:
        if first:
            await self.ask(cast("Awaitable[Any]", self.client.hsetnx(keys.SWEPT_POLICY, tenant, digest)))
            return
        async with self.client.pipeline(transaction=True) as pipe:
            if not tenant:
                pipe.delete(keys.SWEPT_POLICY)
            pipe.hset(keys.SWEPT_POLICY, tenant, digest)
            await self.ask(pipe.execute())
