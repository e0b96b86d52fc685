"""The Python of the pages in `docs/how-to/adapters`, to be run."""

from __future__ import annotations

import asyncio
import inspect
import json
import re
from pathlib import Path
from types import CodeType
from typing import Any

import pytest
from redis.asyncio import Redis

from tests.adapters.behaviour import POLICY
from tests.adapters.talk import Talk, told_in, turn
from tests.support.sessions import Desk
from turnfold.adapters.following.loop_bridge import bridge_for
from turnfold.embedded import EmbeddedServer
from turnfold.sessions.redis_store import RedisStore
from turnfold_workers.summarize import run_job

ROOT = Path(__file__).parents[2]
FENCED = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def snippets(page: str) -> list[CodeType]:
    """What stands in the page's fences, in order."""
    text = (ROOT / "docs/how-to/adapters" / page).read_text(encoding="utf-8")
    return [compile(snippet, f"{page}, {number}", "exec") for number, snippet in enumerate(FENCED.findall(text), 1)]


async def assert_page_talks(page: str, talk: Talk, names: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each `reply_to` of the page holds a conversation in which the model comes to see a summary.

    Args:
        names: what the page says is the reader's own.
    """
    for number in range(len(snippets(page))):
        with EmbeddedServer() as server:
            monkeypatch.setenv("TURNFOLD_REDIS_URL", server.redis_url)
            monkeypatch.setenv("TURNFOLD_POLICY", json.dumps(POLICY))
            await _assert_talks(snippets(page)[: number + 1], talk, dict(names), server)


async def _assert_talks(codes: list[CodeType], talk: Talk, names: dict[str, Any], server: EmbeddedServer) -> None:
    for code in codes:
        exec(code, names)
    talk.seen.clear()
    for number in range(1, 6):
        assert await _replied(names["reply_to"], turn(number)) == told_in([number])[-1].text
        await _work(server)
    assert any(told.text.startswith("[Summary]") for told in talk.seen[-1])
    await bridge_for(names["turnfold"]).run(names["turnfold"].close())


async def _replied(reply_to: Any, text: str) -> str:
    if inspect.iscoroutinefunction(reply_to):
        return str(await reply_to("user-42", text))
    return str(await asyncio.to_thread(reply_to, "user-42", text))


async def _work(server: EmbeddedServer) -> None:
    """Does what is due, as a worker would."""
    client = Redis.from_url(server.redis_url, protocol=2)
    desk = Desk(RedisStore(client), POLICY)
    for _, name in await desk.store.list_sessions("default", None, 10):
        if job := (await desk.service.session(name)).pending_job:
            await run_job(desk.workshop, job)
    await client.aclose()
