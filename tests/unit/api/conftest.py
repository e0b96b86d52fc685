"""The API over a store and a queue in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from pydantic import SecretStr

from turnfold.jobs.memory_queue import MemoryQueue
from turnfold.policy import Policy
from turnfold.service import TurnfoldService
from turnfold.sessions.memory_store import MemoryStore
from turnfold.settings import Settings
from turnfold_api.app import create_app

MakeApp = Callable[..., FastAPI]
MakeClient = Callable[..., httpx.AsyncClient]


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def queue() -> MemoryQueue:
    return MemoryQueue()


@pytest.fixture
def service(store: MemoryStore, queue: MemoryQueue) -> TurnfoldService:
    policy = Policy.parse({"strategy": "summarization", "target_count": 2, "threshold": 2, "min_source_tokens": 1})
    return TurnfoldService(store=store, queue=queue, policy=policy, ttl_seconds=3600)


@pytest.fixture
def make_app(service: TurnfoldService) -> MakeApp:
    """Makes an application with these API keys and settings, bound to this host."""

    def make(*, keys: str = "", max_body_bytes: int = 1_000_000, host: str = "127.0.0.1", **more: Any) -> FastAPI:
        settings = Settings(api_keys=SecretStr(keys), max_body_bytes=max_body_bytes, **more)
        return create_app(settings, service=service, host=host)

    return make


@pytest.fixture
async def make_client(make_app: MakeApp) -> AsyncIterator[MakeClient]:
    """Makes clients of an application of their own, with this key."""
    async with AsyncExitStack() as stack:

        def make(app: FastAPI | None = None, *, key: str = "", **settings: Any) -> httpx.AsyncClient:
            transport = httpx.ASGITransport(app or make_app(**settings))
            headers = {"Authorization": f"Bearer {key}"} if key else {}
            client = httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers)
            stack.push_async_callback(client.aclose)
            return client

        yield make


@pytest.fixture
def client(make_client: MakeClient) -> httpx.AsyncClient:
    return make_client()
