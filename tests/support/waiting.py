"""Waiting in tests: for a condition, never for a time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

POLL_SECONDS = 0.02

Result = TypeVar("Result")


def wait_until(condition: Callable[[], Result], *, description: str, timeout_seconds: float = 5.0) -> Result:
    """The condition's first true value.

    Raises:
        AssertionError: it did not become true in time; with the description.
    """
    deadline = time.monotonic() + timeout_seconds
    while not (result := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {timeout_seconds:g} s: {description}")
        time.sleep(POLL_SECONDS)
    return result


async def wait_until_async(
    condition: Callable[[], Awaitable[Result]], *, description: str, timeout_seconds: float = 5.0
) -> Result:
    """`wait_until` for a condition that is awaited; other tasks run meanwhile."""
    deadline = time.monotonic() + timeout_seconds
    while not (result := await condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {timeout_seconds:g} s: {description}")
        await asyncio.sleep(POLL_SECONDS)
    return result
