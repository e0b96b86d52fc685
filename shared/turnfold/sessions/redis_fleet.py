"""What operators see of all processes, in Redis."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import Any, cast

from turnfold.sessions import keys
from turnfold.sessions.fleet import WORKER_LIFETIME_MS, QueueState, WorkerState
from turnfold.sessions.redis_connection import RedisConnection
from turnfold.sessions.session_key import SHARDS


class RedisFleet(RedisConnection):
    """The part of the store that operators read."""

    async def add_counts(self, counts: Mapping[str, float]) -> None:
        if not counts:
            return
        async with self.client.pipeline(transaction=True) as pipe:
            for name, amount in counts.items():
                pipe.hincrbyfloat(keys.COUNTS, name, amount)
            await self.ask(pipe.execute())

    async def counts(self) -> dict[str, float]:
        found: dict[bytes, bytes] = await self.ask(cast("Awaitable[Any]", self.client.hgetall(keys.COUNTS)))
        return {name.decode(): float(amount) for name, amount in found.items()}

    async def queue_state(self) -> QueueState:
        now = await self.now_ms()
        async with self.client.pipeline(transaction=False) as pipe:
            for shard in range(SHARDS):
                pipe.zcard(keys.due(shard))
                pipe.zcount(keys.due(shard), "-inf", now)
                pipe.zrange(keys.due(shard), 0, 0, withscores=True)
                pipe.zcard(keys.waiting(shard))
            found: list[Any] = await self.ask(pipe.execute())
        oldest = min((int(first[0][1]) for first in found[2::4] if first), default=now)
        return QueueState(
            waiting=sum(found[0::4]),
            overdue=sum(found[1::4]),
            oldest_overdue_ms=max(0, now - oldest),
            sessions_waiting=sum(found[3::4]),
        )

    async def note_worker(self, worker: WorkerState) -> None:
        gone = [one.name for one in await self._known() if one.seen_at_ms < worker.seen_at_ms - WORKER_LIFETIME_MS]
        async with self.client.pipeline(transaction=True) as pipe:
            pipe.hset(keys.WORKERS, worker.name, worker.to_json())
            if gone:
                pipe.hdel(keys.WORKERS, *gone)
            await self.ask(pipe.execute())

    async def forget_worker(self, name: str) -> None:
        await self.ask(cast("Awaitable[Any]", self.client.hdel(keys.WORKERS, name)))

    async def workers(self) -> list[WorkerState]:
        since = await self.now_ms() - WORKER_LIFETIME_MS
        return sorted((one for one in await self._known() if one.seen_at_ms >= since), key=lambda one: one.name)

    async def _known(self) -> list[WorkerState]:
        told: list[bytes] = await self.ask(cast("Awaitable[Any]", self.client.hvals(keys.WORKERS)))
        return [WorkerState.from_json(text) for text in told]
