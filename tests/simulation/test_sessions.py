"""Random sessions: whatever is appended, read and folded, in whatever order, every promise holds after each step."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress

import pytest
from redis.asyncio import Redis

from tests.simulation.histories import conversation
from tests.simulation.policies import policy
from tests.support.sessions import Desk
from turnfold.audit import audit
from turnfold.embedded import EmbeddedServer
from turnfold.errors import Conflict
from turnfold.operations.erasure import erase_message
from turnfold.operations.job_control import cancel_job
from turnfold.operations.unfolding import unfold
from turnfold.sessions.memory_store import MemoryStore
from turnfold.sessions.redis_store import RedisStore
from turnfold.sessions.store import SessionStore
from turnfold.summaries.extractive import ExtractiveSummarizer
from turnfold.summaries.summarizer import SummaryReply, SummaryRequest

SEEDS = {"memory": range(200), "embedded": range(200, 300)}
LENGTH = 60


class Life:
    """One session, played by chance: a seed plays it again."""

    def __init__(self, store: SessionStore, seed: int) -> None:
        self.random = random.Random(seed)
        self.seed = seed
        self.desk = Desk(store, policy(self.random), Interrupted(self))
        self.session = f"s{seed}"
        self.waiting = list(conversation(self.random, LENGTH))

    async def play(self) -> None:
        while self.waiting:
            await self.speak()
            if self.random.random() < 0.1:
                await self.desk.service.compact(self.session)
            if self.random.random() < 0.1:
                await self.take_back()
            if self.random.random() < 0.5:
                await self.desk.work()
            await self.check()
        await self.desk.work()
        await self.check()

    async def speak(self) -> None:
        """Some messages, and more often than not a turn."""
        count = self.random.randint(1, 4)
        said, self.waiting = self.waiting[:count], self.waiting[count:]
        if said:
            await self.desk.service.append(self.session, said)
        if self.random.random() < 0.6:
            await self.desk.service.context(self.session, budget_tokens=self.random.choice((None, None, 200)))

    async def take_back(self) -> None:
        """Erases a message, unfolds a summary, pins a message, or cancels a job: any of them."""
        service, chance = self.desk.service, self.random.random()
        entries = list((await service.messages(self.session, limit=1000)).entries.values())
        summaries = sorted(await self.desk.store.summaries(service.key(self.session)))
        pending = (await service.session(self.session)).pending_job
        with suppress(Conflict):  # a summary that is folded into another one, a job that has just ended
            if chance < 0.4 and summaries:
                await unfold(service, self.session, self.random.choice(summaries))
            elif chance < 0.8 and entries:
                await erase_message(service, self.session, self.random.choice(entries).id)
            elif chance < 0.9 and pending:
                await cancel_job(service, pending)
            elif entries:
                await service.pin(self.session, self.random.choice(entries).id)

    async def check(self) -> None:
        found = await audit(self.desk.store, self.desk.service.key(self.session), self.desk.policy)
        assert found == [], f"seed {self.seed}: {found}, {self.desk.policy.json}"


class Interrupted(ExtractiveSummarizer):
    """While it writes, the conversation goes on as often as not."""

    def __init__(self, life: Life) -> None:
        self._life = life

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        if self._life.random.random() < 0.5:
            await self._life.speak()
        if self._life.random.random() < 0.1:
            await self._life.take_back()
        return await super().summarize(request)


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddedServer]:
    with EmbeddedServer() as started:
        yield started


@pytest.fixture
async def redis_store(server: EmbeddedServer) -> AsyncIterator[RedisStore]:
    client: Redis = Redis.from_url(server.redis_url, protocol=2)
    yield RedisStore(client)
    await client.aclose()


@pytest.mark.parametrize("seed", SEEDS["memory"])
async def test_every_promise_holds_after_each_step_in_memory(seed: int) -> None:
    await Life(MemoryStore(), seed).play()


@pytest.mark.parametrize("seed", SEEDS["embedded"])
async def test_every_promise_holds_after_each_step_in_a_real_store(redis_store: RedisStore, seed: int) -> None:
    await Life(redis_store, seed).play()


async def test_sessions_played_side_by_side_do_not_disturb_each_other(redis_store: RedisStore) -> None:
    await asyncio.gather(*(Life(redis_store, seed).play() for seed in range(300, 320)))
