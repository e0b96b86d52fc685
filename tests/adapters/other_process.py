"""Talks in a process of its own: `python -m tests.adapters.other_process MODULE:CLASS REDIS_URL FOLDER NUMBER…`."""

from __future__ import annotations

import asyncio
import importlib
import sys
from pathlib import Path

from redis.asyncio import Redis

from tests.adapters.behaviour import POLICY
from tests.adapters.talk import Talk, turn
from tests.support.sessions import Desk
from turnfold.sessions.redis_store import RedisStore


async def talk_elsewhere(name: str, redis_url: str, folder: Path, numbers: list[int]) -> None:
    module, _, attribute = name.partition(":")
    client = Redis.from_url(redis_url, protocol=2)
    desk = Desk(RedisStore(client), POLICY)
    talk: Talk = getattr(importlib.import_module(module), attribute)(folder, desk.service)
    for number in numbers:
        await talk.say(turn(number))
        await desk.work()
    await client.aclose()


if __name__ == "__main__":
    asyncio.run(talk_elsewhere(sys.argv[1], sys.argv[2], Path(sys.argv[3]), [int(one) for one in sys.argv[4:]]))
