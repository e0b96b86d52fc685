"""A service over a store, and a worker beside it, in this process."""

from __future__ import annotations

import asyncio
from typing import Any

from turnfold.jobs.memory_queue import MemoryQueue
from turnfold.jobs.retries import RetryPolicy
from turnfold.policy import Policy
from turnfold.service import TurnfoldService
from turnfold.sessions.job import JobState
from turnfold.sessions.store import SessionStore
from turnfold.summaries.extractive import ExtractiveSummarizer
from turnfold.summaries.summarizer import Summarizer
from turnfold_workers.summarize import Workshop, run_job

# Folds early, so that tests can be short.
ENDED_WELL = (JobState.SUCCEEDED, JobState.SUPERSEDED, JobState.CANCELLED)
EAGER: dict[str, Any] = {
    "strategy": "pipeline",
    "strategies": [
        {
            "strategy": "summarization",
            "trigger": {"messages_exceed": 6},
            "target": {"not": {"messages_exceed": 3}},
            "minimum_preserved": 2,
            "min_source_tokens": 0,
        },
        {"strategy": "truncation", "max_messages": 9},
    ],
}
LONG = (
    "The crate DK-99812 left Esbjerg on 14 March with 312 pallets for Ana Brandt, and the invoice is 4,310 euro. " * 4
)


def said(count: int, first: int = 1) -> list[dict[str, Any]]:
    """So many messages, user and assistant in turn, each long enough to be worth folding."""
    return [
        {"role": "user" if n % 2 else "assistant", "content": f"Message {n}. {LONG}"}
        for n in range(first, first + count)
    ]


class Desk:
    """One service, one queue, one worker."""

    def __init__(
        self, store: SessionStore, policy: dict[str, Any] = EAGER, summarizer: Summarizer | None = None
    ) -> None:
        self.policy = Policy.parse(policy)
        self.store, self.queue = store, MemoryQueue()
        self.service = TurnfoldService(store=store, queue=self.queue, policy=self.policy, ttl_seconds=3600)
        self.workshop = Workshop(
            store=store,
            summarizer=summarizer or ExtractiveSummarizer(),
            policy=self.policy,
            worker="tester",
            lease_seconds=10,
            retries=RetryPolicy(),
        )

    async def take(self) -> str | None:
        """The id of the next job that was sent."""
        await asyncio.sleep(0)  # sends run beside the reply
        return self.queue.take()

    async def work(self) -> int:
        """Does all jobs that were sent; how many."""
        done = 0
        while (job_id := await self.take()) is not None:
            done += 1
            further = await run_job(self.workshop, job_id)
            job = await self.store.read_job(job_id)
            assert job is None or job.state in ENDED_WELL, f"{job.state}: {job.error}"
            if further is not None:
                await self.queue.send(further.id)
        return done
