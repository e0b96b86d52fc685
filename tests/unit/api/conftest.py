"""The API over a store and a queue in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack

import httpx
import pytest
from pydantic import SecretStr

from turnfold.jobs.memory_queue import MemoryQueue
from turnfold.policy import Policy
from turnfold.service import TurnfoldService
from turnfold.sessions.memory_store import MemoryStore
from turnfold.settings import Settings
from turnfold_api.app import create_app

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
async def make_client(service: TurnfoldService) -> AsyncIterator[MakeClient]:
    """Makes clients of an application with these API keys, and this bound on bodies."""
    async with AsyncExitStack() as stack:

        def make(*, keys: str = "", key: str = "", max_body_bytes: int = 100_000) -> httpx.AsyncClient:
            settings = Settings(api_keys=SecretStr(keys), max_body_bytes=max_body_bytes)
            transport = httpx.ASGITransport(create_app(settings, service=service))
            headers = {"Authorization": f"Bearer {key}"} if key else {}
            client = httpx.AsyncClient(transport=transport, base_url="http://turnfold", headers=headers)
            stack.push_async_callback(client.aclose)
            return client

        yield make


@pytest.fixture
def client(make_client: MakeClient) -> httpx.AsyncClient:
    return make_client()
