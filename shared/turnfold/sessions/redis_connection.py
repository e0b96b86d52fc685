"""One client, and how it is asked: scripts, pipelines, errors."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Any, cast

from redis.asyncio import Redis
from redis.exceptions import RedisError

from turnfold.errors import Unavailable
from turnfold.sessions import keys
from turnfold.sessions.scripts import script


class RedisConnection:
    """What the parts of the store share.

    Args:
        client: answers in bytes (`decode_responses=False`).
        shebang: False for fakeredis, which can't read the scripts' first line.
    """

    def __init__(self, client: Redis, *, shebang: bool = True) -> None:
        self.client = client
        self._shebang = shebang
        self._scripts: dict[str, Any] = {}

    async def run(self, name: str, names: list[str], arguments: Sequence[Any]) -> Any:
        """A script's answer."""
        if name not in self._scripts:
            self._scripts[name] = self.client.register_script(script(name, shebang=self._shebang))
        return await self.ask(self._scripts[name](keys=names, args=arguments))

    async def ask(self, answer: Awaitable[Any]) -> Any:
        """
        Raises:
            Unavailable: the store did not answer.
        """
        try:
            return await answer
        except (RedisError, OSError) as error:
            raise Unavailable(f"the session store did not answer: {type(error).__name__}: {error}") from error

    async def newest(self, names: list[str], before: tuple[int, str] | None, limit: int) -> list[tuple[int, str]]:
        """Members of all shards' sets by score, newest first, those with the same score by name."""
        highest = "+inf" if before is None else before[0]
        async with self.client.pipeline(transaction=False) as pipe:
            for name in names:
                pipe.zrange(name, highest, "-inf", byscore=True, desc=True, offset=0, num=limit + 1, withscores=True)
            found = await self.ask(pipe.execute())
        merged = sorted(((int(score), name.decode()) for shard in found for name, score in shard), reverse=True)
        return [item for item in merged if before is None or item < before][:limit]

    async def now_ms(self) -> int:
        seconds, micros = await self.ask(cast("Awaitable[Any]", self.client.time()))
        return int(seconds) * 1000 + int(micros) // 1000

    async def try_lock(self, name: str, hold_ms: int) -> bool:
        return bool(await self.ask(self.client.set(keys.lock(name), "1", px=hold_ms, nx=True)))

    async def ping(self) -> None:
        await self.ask(cast("Awaitable[Any]", self.client.ping()))

    async def close(self) -> None:
        await self.client.aclose()
