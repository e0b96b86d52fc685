"""The ledger in Redis: a part in each shard, added up when it is read."""

from __future__ import annotations

from dataclasses import fields

from turnfold.sessions import keys
from turnfold.sessions.ledger import Ledger
from turnfold.sessions.redis_connection import RedisConnection
from turnfold.sessions.session_key import SHARDS


class RedisLedger(RedisConnection):
    """The part of the store that keeps the books."""

    async def ledger(self, tenant: str) -> Ledger:
        async with self.client.pipeline(transaction=False) as pipe:
            for shard in range(SHARDS):
                pipe.hgetall(keys.ledger(shard, tenant))
            parts: list[dict[bytes, bytes]] = await self.ask(pipe.execute())
        sums = {field.name: sum(float(part.get(field.name.encode(), 0)) for part in parts) for field in fields(Ledger)}
        cost = sums.pop("cost")
        return Ledger(cost=cost, **{name: int(total) for name, total in sums.items()})
