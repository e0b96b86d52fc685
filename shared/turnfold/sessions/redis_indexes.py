"""Lists of what is in Redis: sessions by last activity, jobs by creation. What is gone leaves them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from typing import TypeVar

from turnfold.sessions import keys
from turnfold.sessions.redis_connection import RedisConnection
from turnfold.sessions.session_key import SHARDS, SessionKey

T = TypeVar("T")
# Shards that a sweep asks in one round trip.
SHARDS_AT_A_TIME = 16
# Names that one call of a script is given: Lua's stack holds 8,000, and the server does nothing else meanwhile.
NAMES_AT_A_TIME = 500


class RedisIndexes(RedisConnection):
    """The part of the store that finds sessions, and forgets those that expired."""

    async def list_sessions(self, tenant: str, before: tuple[int, str] | None, limit: int) -> list[tuple[int, str]]:
        names = [keys.sessions(shard, tenant) for shard in range(SHARDS)]
        found: list[tuple[int, str]] = []
        while len(found) < limit and (page := await self.newest(names, before, limit)):
            found += await self._present(tenant, page)
            before = page[-1]
        return found[:limit]

    async def recent_sessions(self, since_ms: int) -> AsyncIterator[list[SessionKey]]:
        for shards in pieces(range(SHARDS), SHARDS_AT_A_TIME):
            for places in pieces(await self._places(shards), NAMES_AT_A_TIME):
                if found := await self._active(places, since_ms):
                    yield found

    async def drop_expired(self, limit: int) -> int:
        now = await self.now_ms()
        async with self.client.pipeline(transaction=False) as pipe:
            for shard in range(SHARDS):
                pipe.zrange(keys.expiring(shard), "-inf", now, byscore=True, offset=0, num=limit, withscores=True)
            found = await self.ask(pipe.execute())
        over = sorted((score, member.decode()) for shard in found for member, score in shard)
        return await self._drop(keys.session_of_member(member) for _, member in over[:limit])

    async def newest(self, names: Sequence[str], before: tuple[int, str] | None, limit: int) -> list[tuple[int, str]]:
        """Members of all shards' sets by score, newest first, those with the same score by name."""
        found: list[tuple[int, str]] = []
        count = limit + 1
        while names:
            unread: list[str] = []
            for name, members in zip(names, await self._read_newest(names, before, count), strict=True):
                behind = [item for item in members if before is None or item < before]
                if len(behind) < limit and len(members) == count:  # many have the very score of `before`
                    unread.append(name)
                else:
                    found += behind
            names, count = unread, count * 4
        return sorted(found, reverse=True)[:limit]

    async def _read_newest(
        self, names: Sequence[str], before: tuple[int, str] | None, count: int
    ) -> list[list[tuple[int, str]]]:
        highest = "+inf" if before is None else before[0]
        async with self.client.pipeline(transaction=False) as pipe:
            for name in names:
                pipe.zrange(name, highest, "-inf", byscore=True, desc=True, offset=0, num=count, withscores=True)
            found = await self.ask(pipe.execute())
        return [[(int(score), member.decode()) for member, score in shard] for shard in found]

    async def _places(self, shards: Sequence[int]) -> list[tuple[int, str]]:
        """Shard and tenant, wherever a tenant has sessions."""
        async with self.client.pipeline(transaction=False) as pipe:
            for shard in shards:
                pipe.smembers(keys.tenants(shard))
            found = await self.ask(pipe.execute())
        return [(shard, name.decode()) for shard, names in zip(shards, found, strict=True) for name in names]

    async def _active(self, places: Sequence[tuple[int, str]], since_ms: int) -> list[SessionKey]:
        async with self.client.pipeline(transaction=False) as pipe:
            for shard, tenant in places:
                pipe.zrange(keys.sessions(shard, tenant), since_ms, "+inf", byscore=True)
            found = await self.ask(pipe.execute())
        return [
            SessionKey(tenant, name.decode())
            for (_, tenant), names in zip(places, found, strict=True)
            for name in names
        ]  # fmt: skip

    async def _present(self, tenant: str, page: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
        """Those of the page that are still there; the others leave the indexes."""
        wanted = [SessionKey(tenant, name) for _, name in page]
        async with self.client.pipeline(transaction=False) as pipe:
            for key in wanted:
                pipe.exists(keys.head(key))
            there = await self.ask(pipe.execute())
        await self._drop(key for key, is_there in zip(wanted, there, strict=True) if not is_there)
        return [item for item, is_there in zip(page, there, strict=True) if is_there]

    async def _drop(self, sessions: Iterable[SessionKey]) -> int:
        """Takes those that are gone out of the indexes; how many."""
        places: defaultdict[tuple[int, str], list[SessionKey]] = defaultdict(list)
        for key in sessions:
            places[key.shard, key.tenant].append(key)
        dropped = 0
        for (shard, tenant), found in places.items():
            for some in pieces(found, NAMES_AT_A_TIME):
                dropped += await self._drop_some(shard, tenant, some)
        return dropped

    async def _drop_some(self, shard: int, tenant: str, some: Sequence[SessionKey]) -> int:
        names = [keys.sessions(shard, tenant), keys.tenants(shard), keys.expiring(shard), *map(keys.head, some)]
        told = [part for key in some for part in (key.id, keys.expiring_member(key))]
        return int(await self.run("drop_expired", names, [tenant, *told]))


def pieces(items: Sequence[T], length: int) -> Iterator[Sequence[T]]:
    """The items, so many at a time."""
    return (items[start : start + length] for start in range(0, len(items), length))
