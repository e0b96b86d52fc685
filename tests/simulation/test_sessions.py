"""Random sessions: whatever is appended, read and folded, every promise holds after each step."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator

import fakeredis
import pytest

from tests.simulation.histories import conversation
from tests.simulation.policies import policy
from turnfold.audit import audit
from turnfold.jobs.memory_queue import MemoryQueue
from turnfold.jobs.retries import RetryPolicy
from turnfold.policy import Policy
from turnfold.service import TurnfoldService
from turnfold.sessions.memory_store import MemoryStore
from turnfold.sessions.redis_store import RedisStore
from turnfold.sessions.store import SessionStore
from turnfold.summaries.extractive import ExtractiveSummarizer
from turnfold_workers.summarize import Workshop, run_job


@pytest.fixture(params=["memory", "fakeredis"])
async def store(request: pytest.FixtureRequest) -> AsyncIterator[SessionStore]:
    made: SessionStore = MemoryStore() if request.param == "memory" else RedisStore(fakeredis.FakeAsyncRedis(), shebang=False)
    yield made
    await made.close()


async def _play(store: SessionStore, seed: int, *, length: int) -> None:
    rng = random.Random(seed)
    chosen = Policy.parse(policy(rng))
    queue = MemoryQueue()
    service = TurnfoldService(store=store, queue=queue, policy=chosen, ttl_seconds=3600)
    workshop = Workshop(
        store=store, summarizer=ExtractiveSummarizer(), policy=chosen, worker="w", lease_seconds=10, retries=RetryPolicy()
    )
    session, waiting = f"s{seed}", list(conversation(rng, length))
    while waiting:
        count = rng.randint(1, 4)
        await service.append(session, waiting[:count])
        del waiting[:count]
        if rng.random() < 0.6:
            await service.context(session, budget_tokens=rng.choice((None, None, 200)))
        if rng.random() < 0.1:
            await service.compact(session)
        await _settle()
        if rng.random() < 0.5 and (job := queue.take()):
            further = await run_job(workshop, job)
            if further:
                await queue.send(further.id)
        assert await audit(store, service.key(session), chosen) == [], f"seed {seed}, {chosen.json}"


async def _settle() -> None:
    import asyncio

    await asyncio.sleep(0)


@pytest.mark.parametrize("seed", range(400))
async def test_every_promise_holds_after_each_step(store: SessionStore, seed: int) -> None:
    await _play(store, seed, length=60)
