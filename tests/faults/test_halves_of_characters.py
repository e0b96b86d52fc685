"""Half a character, as a tool leaves behind that cuts its output: it comes back as it was, and breaks nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from turnfold.audit import audit
from turnfold.embedded import EmbeddedServer
from turnfold.jobs.memory_queue import MemoryQueue
from turnfold.jobs.retries import RetryPolicy
from turnfold.policy import Policy
from turnfold.service import TurnfoldService
from turnfold.settings import Settings
from turnfold.summaries.extractive import ExtractiveSummarizer
from turnfold.wiring import build_store
from turnfold_workers.summarize import Workshop, run_job

HALF = "The parcel is at the depot \ud83d"
FOLDING = Policy.parse(
    {"strategy": "summarization", "trigger": {"tokens_exceed": 200}, "minimum_preserved": 1, "min_source_tokens": 1}
)
COLLAPSING = Policy.parse({"strategy": "tool_result", "trigger": {"tokens_exceed": 200}, "minimum_preserved": 1})


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddedServer]:
    with EmbeddedServer() as running:
        yield running


@pytest.fixture
async def service(server: EmbeddedServer) -> AsyncIterator[TurnfoldService]:
    store = build_store(Settings(redis_url=server.redis_url))
    opened = TurnfoldService(store=store, queue=MemoryQueue(), policy=FOLDING, ttl_seconds=3600)
    yield opened
    await opened.close()


async def test_in_messages_that_are_folded(service: TurnfoldService) -> None:
    said = [{"role": "user", "content": f"{HALF} {number} {HALF * 5}"} for number in range(10)]
    appended = await service.append("folded", said)
    assert appended.job is not None

    await run_job(workshop(service), str(appended.job["id"]))

    read = await service.messages("folded")
    assert [dict(entry.message) for entry in read.entries.values()] == said
    assert len((await service.context("folded")).messages) < len(said)
    assert await audit(service.store, service.key("folded"), service.policy) == []


async def test_in_a_tool_result_that_is_collapsed(service: TurnfoldService) -> None:
    await service.create("collapsed", policy=COLLAPSING)
    for number in range(4):
        await service.append("collapsed", tool_turn(number))
    before = await service.context("collapsed")  # collapses, and stores what it has hidden

    after = await service.context("collapsed")

    assert after.messages == before.messages
    assert await audit(service.store, service.key("collapsed"), service.policy) == []


def tool_turn(number: int) -> list[dict[str, Any]]:
    call = {"id": f"c{number}", "type": "function", "function": {"name": "where", "arguments": "{}"}}
    return [
        {"role": "user", "content": "Where is it?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": HALF * 30},
    ]


def workshop(service: TurnfoldService) -> Workshop:
    return Workshop(
        store=service.store,
        summarizer=ExtractiveSummarizer(),
        policy=service.policy,
        worker="test",
        lease_seconds=10,
        retries=RetryPolicy(),
    )
