"""One event loop in a thread, for the tasks of a process: they share its clients and connections."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

# How long a coroutine that was told to stop may take to do so.
CANCEL_SECONDS = 5.0


class LoopThread:
    """Runs coroutines for threads that have no loop. A loop or a client a task would cost 27 ms and half a gigabyte."""

    def __init__(self) -> None:
        self._thread = threading.Thread(target=self._run, name="turnfold-loop", daemon=True)
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None

    def start(self) -> None:
        self._thread.start()
        self._ready.wait()

    def run(self, coroutine: Coroutine[Any, Any, T], *, timeout_seconds: float) -> T:
        """Runs it on the loop and waits for its result, from any thread but the loop's own.

        Raises:
            TimeoutError: it took longer, and has been cancelled.
            Exception: whatever the coroutine raises; `concurrent.futures.CancelledError` if the loop has stopped.
        """
        limited = asyncio.wait_for(coroutine, timeout_seconds)
        future = asyncio.run_coroutine_threadsafe(limited, self._running_loop())
        # The second limit is for a coroutine that won't be cancelled: its thread goes back to work all the same.
        return future.result(timeout_seconds + CANCEL_SECONDS)

    def spawn(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """Starts it on the loop and returns at once; it ends with the loop at the latest."""
        asyncio.run_coroutine_threadsafe(coroutine, self._running_loop())

    def stop(self) -> None:
        """Cancels what is still running and ends the thread. A second call does nothing."""
        if self._loop is None or self._stop is None or self._loop.is_closed():
            return
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            raise RuntimeError("start() has not been called")
        return self._loop

    def _run(self) -> None:
        with asyncio.Runner() as runner:
            runner.run(self._until_stopped())

    async def _until_stopped(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        self._ready.set()
        await self._stop.wait()
