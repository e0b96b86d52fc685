"""Every kind of session store that the contract tests run on."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import AsyncGenerator, AsyncIterator, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import cast

import fakeredis
from redis import Redis
from redis.asyncio import Redis as AsyncRedis
from redis.exceptions import RedisError

from tests.support.waiting import wait_until
from turnfold.sessions.keys import PERMANENT
from turnfold.sessions.memory_store import MemoryStore
from turnfold.sessions.redis_store import RedisStore
from turnfold.sessions.store import SessionStore

SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@asynccontextmanager
async def opened_store(kind: str, url: str | None) -> AsyncGenerator[SessionStore]:
    """A store of that kind, closed afterwards. `url` is a server's, for kinds that need one; it is emptied first."""
    if kind == "memory":
        yield MemoryStore()
        return
    if kind == "fakeredis":
        client = fakeredis.FakeAsyncRedis()
        yield RedisStore(client, shebang=False)
        assert await keys_without_lifetime(client) == []
        await client.aclose()
        return
    assert url is not None
    real: AsyncRedis = AsyncRedis.from_url(url, protocol=2)
    await real.flushdb()
    yield RedisStore(real)
    assert await keys_without_lifetime(real) == []
    await real.aclose()


async def keys_without_lifetime(client: AsyncRedis) -> list[str]:
    """Keys that would stay for ever, those on the list of permanent ones left out."""
    scan = cast("AsyncIterator[bytes]", client.scan_iter(count=1000))
    names = [name.decode() async for name in scan]
    return [name for name in names if await client.pttl(name) < 0 and not any(part in name for part in PERMANENT)]


@contextmanager
def redis_server(folder: Path) -> Generator[str]:
    """Debian's redis-server on a socket of its own; its address."""
    binary = shutil.which("redis-server", path=SEARCH_PATH)
    assert binary is not None
    path = folder / "redis.sock"
    arguments = ["--port", "0", "--unixsocket", str(path), "--dir", str(folder), "--appendonly", "yes", "--save", ""]
    server = subprocess.Popen([binary, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with Redis(unix_socket_path=str(path)) as client:
            wait_until(lambda: _answers(client), description="redis-server answers")
        yield f"unix://{path}"
    finally:
        server.terminate()
        server.wait(10)


def _answers(client: Redis) -> bool:
    try:
        return bool(client.ping())
    except RedisError:
        return False
