"""A nightly sweep: conversations of the last day are folded by a stricter policy than by day, with a smaller model.

To be run by cron, or any other schedule, beside a backend that appends to the same store:

    TURNFOLD_REDIS_URL=redis://… OPENAI_API_KEY=… python -m examples.nightly_sweep

Without a store it starts one, with a few conversations in it.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Generator
from contextlib import contextmanager

from examples.surroundings import DEFAULT_MODEL, has_key, store_url
from turnfold.jobs.memory_queue import MemoryQueue
from turnfold.jobs.retries import RetryPolicy
from turnfold.policy import Policy
from turnfold.service import TurnfoldService
from turnfold.sessions.store import SessionStore
from turnfold.settings import Settings
from turnfold.testing import ModelRequest, Reply, Says, ScriptedModel
from turnfold.wiring import build_policy, build_store, build_summarizer
from turnfold_workers.summarize import Workshop, run_job
from turnfold_workers.sweeps import plan_due_sessions, resend_due_jobs

DAY_MS = 24 * 3600 * 1000
TENANT = "default"
# By day the service's own policy rules. At night there is time to fold what it would leave.
NIGHT = """{
    "tokenizer": "o200k_base",
    "strategy": "summarization", "trigger": {"tokens_exceed": 800}, "target": {"tokens_below": 400}
}"""


@contextmanager
def settings_for(redis_url: str) -> Generator[Settings]:
    """Store and summarizer: of the environment's key, or of a model that follows a script."""
    common = {"redis_url": redis_url}
    model = os.environ.get("OPENAI_MODEL", DEFAULT_MODEL)
    if has_key():
        base_url = os.environ.get("OPENAI_BASE_URL")
        key = os.environ["OPENAI_API_KEY"]
        yield Settings(**common, openai_api_key=key, openai_base_url=base_url, summary_model=model)
        return
    print("No OPENAI_API_KEY: the model follows a script.", flush=True)
    with ScriptedModel(script) as scripted:
        yield Settings(**common, openai_base_url=scripted.base_url, summary_model=scripted.name)


def script(request: ModelRequest) -> Reply:
    """A model that writes short summaries."""
    return Says(f"Summary {request.number}: several parcels were followed from Esbjerg to Hull; none was lost.")


async def fill(service: TurnfoldService) -> None:
    """Three conversations of the day."""
    for customer in ("ana", "ben", "cleo"):
        for n in range(1, 31):
            said = f"Where is parcel DK-{n:05} of {customer}? It left Esbjerg on 14 March with 312 pallets."
            found = f"Parcel DK-{n:05} is at sea, and is expected in Hull on Friday. Its invoice is 4,310 euro."
            messages = [{"role": "user", "content": said}, {"role": "assistant", "content": found}]
            await service.append(f"chat-{customer}", messages)


async def sweep(store: SessionStore, settings: Settings) -> int:
    """Plans what is due and does it, one job after the other; how many were done."""
    queue, policy = MemoryQueue(), Policy.from_json(NIGHT)
    await resend_due_jobs(store, queue)  # left behind by workers that are gone
    await plan_due_sessions(store, queue, policy, since_ms=await store.now_ms() - DAY_MS)
    workshop = Workshop(
        store=store,
        summarizer=build_summarizer("openai", settings),
        policy=policy,
        worker="nightly",
        lease_seconds=settings.lease_seconds,
        retries=RetryPolicy(),
    )
    done = 0
    while (job_id := queue.take()) is not None:
        further = await run_job(workshop, job_id)
        done += 1
        if further is not None:
            await queue.send(further.id)
    return done


async def tokens(service: TurnfoldService) -> dict[str, int]:
    """Of each conversation, what the model would be sent."""
    listed = await service.store.list_sessions(TENANT, None, 1000)
    return {name: (await service.context(name)).counts["tokens"] for _, name in listed}


async def main() -> None:
    """One night."""
    with store_url() as redis_url, settings_for(redis_url) as settings:
        store = build_store(settings)
        # The backend's queue; tonight nobody listens to it, the sweep finds what is due by itself.
        service = TurnfoldService(
            store=store, queue=MemoryQueue(), policy=build_policy(settings), ttl_seconds=settings.session_ttl_seconds
        )
        if "TURNFOLD_REDIS_URL" not in os.environ:
            await fill(service)
        before = await tokens(service)
        done = await sweep(store, settings)
        after = await tokens(service)
        for name in sorted(before):
            print(f"{name:12} {before[name]:6,} → {after[name]:6,} tokens")
        print(f"{done} summaries")
        await service.close()


if __name__ == "__main__":
    asyncio.run(main())
