"""A large append costs whoever sent it, and nobody else."""

from __future__ import annotations

import asyncio
import json
import time

import httpx

from tests.support.served_app import served
from turnfold.jobs.memory_queue import MemoryQueue
from turnfold.policy import Policy
from turnfold.service import TurnfoldService
from turnfold.sessions.memory_store import MemoryStore
from turnfold.settings import Settings
from turnfold_api.app import create_app

MESSAGES = 600


async def test_other_requests_are_answered_while_a_large_append_is_read_and_counted() -> None:
    service = TurnfoldService(store=MemoryStore(), queue=MemoryQueue(), policy=Policy.default(), ttl_seconds=3600)
    text = [f"Parcel {number} weighs {number * 7 % 31} kg and goes to dock {number % 9}. " for number in range(250)]
    body = json.dumps({"messages": [{"role": "user", "content": f"{n}. " + "".join(text)} for n in range(MESSAGES)]})
    with served(create_app(Settings(), service=service)) as url:
        async with httpx.AsyncClient(base_url=url, timeout=60) as client:
            began = time.perf_counter()
            path = "/v1/sessions/large/messages"
            append = asyncio.create_task(client.post(path, content=body, headers={"Content-Type": "application/json"}))
            waited = [await _livez(client)]
            while not append.done():
                waited.append(await _livez(client))
            took = time.perf_counter() - began
            answer = await append

    assert answer.json()["last"] == MESSAGES
    assert len(waited) > 10
    # the machine may be slow: what counts is the share of the whole
    assert max(waited) < took / 3


async def _livez(client: httpx.AsyncClient) -> float:
    began = time.perf_counter()
    assert (await client.get("/livez")).status_code == 200
    return time.perf_counter() - began
