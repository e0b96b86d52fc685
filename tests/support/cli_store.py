"""The command `turnfold` on a real store, and a service on the same store to prepare and to look."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from turnfold import jsonio
from turnfold.jobs.memory_queue import MemoryQueue
from turnfold.jobs.retries import RetryPolicy
from turnfold.policy import Policy
from turnfold.service import TurnfoldService
from turnfold.settings import Settings
from turnfold.summaries.extractive import ExtractiveSummarizer
from turnfold.wiring import build_store
from turnfold_workers.summarize import Workshop, run_job

COMMAND_SECONDS = 30.0
T = TypeVar("T")


def turnfold(url: str | None, *words: str, given: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    """The command, on the store at that address."""
    where = {"TURNFOLD_REDIS_URL": url} if url else {}
    return subprocess.run(
        [sys.executable, "-m", "turnfold", *words],
        env={**os.environ, **where, "COLUMNS": "200", **env},
        capture_output=True, text=True, timeout=COMMAND_SECONDS, check=False, input=given,
    )  # fmt: skip


def told(done: subprocess.CompletedProcess[str], *, exit_code: int = 0) -> Any:
    """The JSON that a command printed, and nothing beside it."""
    assert done.returncode == exit_code, done.stderr
    assert done.stderr == ""
    return jsonio.loads(done.stdout)


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """The one line in which a command said that it was given something wrong."""
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    (line,) = done.stderr.splitlines()
    return line


def on_store(url: str, work: Callable[[TurnfoldService], Awaitable[T]], *, policy: Any = None) -> T:
    """What the work on a service over the store gives."""

    async def opened() -> T:
        chosen = Policy.parse(policy) if policy else Policy.default()
        store = build_store(Settings(redis_url=url))
        service = TurnfoldService(store=store, queue=MemoryQueue(), policy=chosen, ttl_seconds=3600)
        try:
            return await work(service)
        finally:
            await service.close()

    return asyncio.run(opened())


def workshop_of(service: TurnfoldService) -> Workshop:
    """A worker's bench beside the service."""
    return Workshop(
        store=service.store,
        summarizer=ExtractiveSummarizer(),
        policy=service.policy,
        worker="test",
        lease_seconds=10,
        retries=RetryPolicy(),
    )


async def do_pending_job(service: TurnfoldService, session: str) -> None:
    """The session's job, done as a worker does it."""
    await run_job(workshop_of(service), (await service.session(session)).pending_job)
