"""Coroutines for threads that have no event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor

import pytest

from tests.support.waiting import wait_until
from turnfold_workers.loop_thread import LoopThread


@pytest.fixture
def loop() -> Iterator[LoopThread]:
    loop = LoopThread()
    loop.start()
    yield loop
    loop.stop()


def test_threads_share_one_loop(loop: LoopThread) -> None:
    async def where() -> tuple[asyncio.AbstractEventLoop, str]:
        return asyncio.get_running_loop(), threading.current_thread().name

    with ThreadPoolExecutor(4) as threads:
        asked = [threads.submit(lambda: loop.run(where(), timeout_seconds=5)) for _ in range(8)]
        seen = {answer.result() for answer in asked}

    assert {name for _, name in seen} == {"turnfold-loop"}
    assert len(seen) == 1


def test_an_error_reaches_the_thread_that_asked(loop: LoopThread) -> None:
    async def fail() -> None:
        raise LookupError("none")

    with pytest.raises(LookupError, match="none"):
        loop.run(fail(), timeout_seconds=5)


def test_what_takes_too_long_is_cancelled(loop: LoopThread) -> None:
    # given
    cancelled = threading.Event()

    async def wait() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    # when
    with pytest.raises(TimeoutError):
        loop.run(wait(), timeout_seconds=0.05)

    # then
    assert cancelled.is_set()


def test_a_stop_ends_what_is_still_running(loop: LoopThread) -> None:
    # given
    running = threading.Event()

    async def wait() -> None:
        running.set()
        await asyncio.Event().wait()

    with ThreadPoolExecutor(1) as threads:
        asked = threads.submit(loop.run, wait(), timeout_seconds=30)
        wait_until(running.is_set, description="it runs")

        # when
        loop.stop()

        # then
        assert isinstance(asked.exception(timeout=5), CancelledError)


def test_a_second_stop_does_nothing(loop: LoopThread) -> None:
    loop.stop()
    loop.stop()
