"""What workers make of sessions, in Redis."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, cast

from turnfold import jsonio
from turnfold.sessions import keys
from turnfold.sessions.entry import Entry, read_entry
from turnfold.sessions.made import StoredIndex
from turnfold.sessions.redis_answers import flat
from turnfold.sessions.redis_indexes import pieces
from turnfold.sessions.redis_rewriting import RedisRewriting
from turnfold.sessions.session_key import SessionKey

_NUMBERS = ("erased", "format", "through", "tokens")
# Marks and values that a script takes at a time; an even number.
PARTS = 1000


class RedisMade(RedisRewriting):
    """The part of the store that keeps search indexes and marks."""

    async def read_entries(self, key: SessionKey, positions: Sequence[int]) -> dict[int, Entry]:
        async with self.client.pipeline(transaction=False) as pipe:
            for position in positions:
                pipe.lindex(keys.log(key), position - 1)
            lines: list[bytes | None] = await self.ask(pipe.execute())
        found = (read_entry(position, line or b"") for position, line in zip(positions, lines, strict=True))
        return {entry.position: entry for entry in found if entry is not None}

    async def some_summaries(self, key: SessionKey, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        if not ids:
            return {}
        wanted = cast("Awaitable[list[bytes | None]]", self.client.hmget(keys.summaries(key), list(ids)))
        found: list[bytes | None] = await self.ask(wanted)
        return {name: jsonio.loads(text) for name, text in zip(ids, found, strict=True) if text is not None}

    async def read_index(self, key: SessionKey, *, with_data: bool = True) -> StoredIndex | None:
        wanted = [*_NUMBERS, "incarnation", *(["data"] if with_data else [])]
        found: list[bytes | None] = await self.ask(
            cast("Awaitable[Any]", self.client.hmget(keys.index(key), wanted))
        )  # fmt: skip
        if any(value is None for value in found):
            return None
        numbers = {name: int(value or 0) for name, value in zip(_NUMBERS, found, strict=False)}
        incarnation = (found[len(_NUMBERS)] or b"").decode()
        return StoredIndex(**numbers, incarnation=incarnation, data=(found[-1] or b"") if with_data else b"")

    async def keep_index(self, key: SessionKey, index: StoredIndex) -> bool:
        told = {name: str(getattr(index, name)) for name in (*_NUMBERS, "incarnation")}
        arguments: list[Any] = [index.incarnation, index.erased, index.through, *flat(told), "data", index.data]
        return bool(await self.run("keep_index", [keys.head(key), keys.index(key)], arguments))

    async def marks(self, key: SessionKey) -> dict[str, str]:
        found: dict[bytes, bytes] = await self.ask(cast("Awaitable[Any]", self.client.hgetall(keys.marks(key))))
        return {mark.decode(): value.decode("utf-8", "surrogatepass") for mark, value in found.items()}

    async def keep_marks(self, key: SessionKey, incarnation: str, erased: int, marks: Mapping[str, str]) -> bool:
        names = [keys.head(key), keys.marks(key)]
        pairs = [part.encode("utf-8", "surrogatepass") for part in flat(marks)]
        answers = [await self.run("keep_marks", names, [incarnation, erased, *some]) for some in pieces(pairs, PARTS)]
        return all(answers)
