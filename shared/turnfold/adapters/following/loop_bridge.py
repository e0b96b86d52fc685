"""One event loop for a store, whichever way a framework calls: its connections belong to the loop that made them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from turnfold.service import TurnfoldService

T = TypeVar("T")


class LoopBridge:
    """Runs work on one loop: that of the first asynchronous caller, or, where a synchronous one came first, its own."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_ours = False
        self._guard = threading.Lock()

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The work's result, from asynchronous code."""
        here = asyncio.get_running_loop()
        with self._guard:
            if self._loop is None or (self._loop.is_closed() and not self._is_ours):
                self._loop = here
            loop = self._loop
        if loop is here:
            return await work
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, loop))

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """The work's result, from synchronous code.

        Raises:
            RuntimeError: called on the very loop that would have to do the work meanwhile.
        """
        loop = self._loop_beside()
        if loop is _running():
            work.close()
            raise RuntimeError("called synchronously on the event loop that serves the store; await the async form")
        return asyncio.run_coroutine_threadsafe(work, loop).result()

    def _loop_beside(self) -> asyncio.AbstractEventLoop:
        """The loop that does the work; one in a thread of its own where none runs."""
        with self._guard:
            if self._loop is None or not self._loop.is_running():
                self._loop, self._is_ours = asyncio.new_event_loop(), True
                threading.Thread(target=self._loop.run_forever, name="turnfold-adapter", daemon=True).start()
            return self._loop


_bridges: WeakKeyDictionary[TurnfoldService, LoopBridge] = WeakKeyDictionary()
_bridges_guard = threading.Lock()


def bridge_for(turnfold: TurnfoldService) -> LoopBridge:
    """The bridge of a service: one for all that use it, so that its store is used on one loop."""
    with _bridges_guard:
        return _bridges.setdefault(turnfold, LoopBridge())


def _running() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
