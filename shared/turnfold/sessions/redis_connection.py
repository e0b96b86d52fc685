"""One client, and how it is asked: scripts, pipelines, errors."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Any, cast

from redis.asyncio import Redis
from redis.exceptions import RedisError, ResponseError

from turnfold.errors import Unavailable
from turnfold.sessions import keys
from turnfold.sessions.redis_health import SECTIONS, health_of, unreachable
from turnfold.sessions.scripts import script
from turnfold.sessions.store_health import StoreHealth


class RedisConnection:
    """What the parts of the store share.

    Args:
        client: answers in bytes (`decode_responses=False`).
        shebang: False for fakeredis, which can't read the scripts' first line.
        beside: clients that end with it: of the Sentinels that tell where it is.
    """

    def __init__(self, client: Redis, *, shebang: bool = True, beside: Sequence[Redis] = ()) -> None:
        self.client = client
        self._beside = beside
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

    async def now_ms(self) -> int:
        seconds, micros = await self.ask(cast("Awaitable[Any]", self.client.time()))
        return int(seconds) * 1000 + int(micros) // 1000

    async def try_lock(self, name: str, hold_ms: int) -> bool:
        return bool(await self.ask(self.client.set(keys.lock(name), "1", px=hold_ms, nx=True)))

    async def health(self) -> StoreHealth:
        try:
            await self.ping()
            return health_of(await self._info())
        except Unavailable as error:
            return unreachable(error.detail)

    async def ping(self) -> None:
        await self.ask(cast("Awaitable[Any]", self.client.ping()))

    async def close(self) -> None:
        for client in (self.client, *self._beside):
            await client.aclose()

    async def _info(self) -> dict[str, Any]:
        """What the server tells of itself; nothing, where a user may not ask."""
        try:
            return await self.client.info(*SECTIONS)
        except ResponseError:
            return {}
        except (RedisError, OSError) as error:
            raise Unavailable(f"the session store did not answer: {type(error).__name__}: {error}") from error


def was_refused(error: Unavailable) -> bool:
    """Whether the server did answer, and would not do it: full, or its disk is, or it is a replica."""
    return isinstance(error.__cause__, ResponseError)
