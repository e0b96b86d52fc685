"""Conversations for tests of the API."""

from __future__ import annotations

import logging
from typing import Any

import httpx
import pytest

from turnfold.jobs.retries import RetryPolicy
from turnfold.service import TurnfoldService
from turnfold.summaries.extractive import ExtractiveSummarizer
from turnfold_workers.summarize import Workshop, run_job

JSON = {"Content-Type": "application/json"}


def chat(count: int, *, start: int = 1) -> list[dict[str, Any]]:
    """User and assistant in turns, long enough to be worth a summary."""
    roles = ("user", "assistant")
    text = "the order {0} of 14 March goes to Oslo, and the customer asks that it be wrapped in blue paper. " * 6
    return [{"role": roles[n % 2], "content": text.format(n)} for n in range(start - 1, start - 1 + count)]


async def append(client: httpx.AsyncClient, session: str, count: int, **more: Any) -> dict[str, Any]:
    answer = await client.post(f"/v1/sessions/{session}/messages", json={"messages": chat(count)}, **more)
    assert answer.status_code == 201, answer.text
    result: dict[str, Any] = answer.json()
    return result


async def do_jobs(service: TurnfoldService) -> None:
    """What a worker does with the jobs that are recorded."""
    workshop = Workshop(
        store=service.store,
        summarizer=ExtractiveSummarizer(),
        policy=service.policy,
        worker="worker-1",
        lease_seconds=10,
        retries=RetryPolicy(),
    )
    for job in await service.store.list_jobs(service.tenant, None, 100):
        await run_job(workshop, job.id)


def problem(answer: httpx.Response, status: int, slug: str) -> dict[str, Any]:
    """The problem that the answer must tell."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    told: dict[str, Any] = answer.json()
    assert set(told) == {"type", "title", "status", "detail", "errors"}
    assert (told["type"], told["status"]) == (f"urn:turnfold:problem:{slug}", status)
    return told


_PLAIN = set(vars(logging.makeLogRecord({}))) | {"message", "asctime"}


def log_lines(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    """What the API has logged: event, level and fields."""
    return [
        {"event": record.getMessage(), "level": record.levelname}
        | {name: value for name, value in vars(record).items() if name not in _PLAIN}
        for record in caplog.records
        if record.name.startswith("turnfold_api")
    ]
