"""The runtime of one process: built on its loop thread, polled, and called from task threads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from turnfold_workers.loop_thread import LoopThread
from turnfold_workers.poller import INTERVAL_SECONDS, Poller
from turnfold_workers.runtime import Runtime

START_SECONDS = 30.0
# How long a poll that is at work when the worker stops may go on. Its jobs are found by another worker.
LAST_POLL_SECONDS = 10.0
CLOSE_SECONDS = 10.0


class RuntimeHost:
    """Plain functions over an async runtime. Start it in the process that uses it: no thread survives a fork.

    Args:
        make_runtime: called on the loop, where its clients belong.
        task_timeout_seconds: a task that takes longer is cancelled; its job is found again by its lease.
        poll_interval_seconds: how often lost and due jobs are looked for.
    """

    def __init__(
        self,
        make_runtime: Callable[[], Runtime],
        *,
        task_timeout_seconds: float,
        poll_interval_seconds: float = INTERVAL_SECONDS,
    ) -> None:
        self._make_runtime = make_runtime
        self._task_timeout_seconds = task_timeout_seconds
        self._poll_interval_seconds = poll_interval_seconds
        self._loop = LoopThread()
        self._runtime: Runtime | None = None
        self._poller: Poller | None = None
        self._polling: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._loop.start()
        try:
            self._loop.run(self._start(), timeout_seconds=START_SECONDS)
        except BaseException:
            self._loop.stop()
            raise

    def run_job(self, job_id: str) -> None:
        self._run(self._started().run_job(job_id))

    def sweep(self) -> None:
        self._run(self._started().sweep())

    def stop_polling(self) -> None:
        """Takes on nothing more of its own accord. Returns at once, so that a signal's handler may call it."""
        self._loop.spawn(self._stop_polling())

    def hand_back_after(self, seconds: float) -> None:
        """Breaks off what is still at work then. Returns at once, so that a signal's handler may call it."""
        self._loop.spawn(self._hand_back_after(seconds))

    def close(self) -> None:
        """Ends the poller, closes the runtime and its loop. A second call does nothing."""
        if self._runtime is None:
            return
        try:
            self._loop.run(self._close(), timeout_seconds=LAST_POLL_SECONDS + CLOSE_SECONDS)
        finally:
            self._runtime = None
            self._loop.stop()

    def _run(self, coroutine: Coroutine[Any, Any, None]) -> None:
        self._loop.run(coroutine, timeout_seconds=self._task_timeout_seconds)

    def _started(self) -> Runtime:
        if self._runtime is None:
            raise RuntimeError("the runtime is not started")
        return self._runtime

    async def _start(self) -> None:
        runtime = self._make_runtime()
        await runtime.start()
        self._runtime = runtime
        self._poller = Poller(runtime.poll, interval_seconds=self._poll_interval_seconds)
        self._polling = asyncio.create_task(self._poller.run())

    async def _hand_back_after(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        self._started().hand_back()

    async def _stop_polling(self) -> None:
        if self._poller is not None:
            self._poller.stop()

    async def _close(self) -> None:
        await self._stop_polling()
        if self._polling is not None:
            _, late = await asyncio.wait({self._polling}, timeout=LAST_POLL_SECONDS)
            for poll in late:
                poll.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        await self._started().close()
