"""A worker that stops for ever before one step of its job, and says so, for tests that kill it there.

Run as a module with the name of the step, as the store calls it (`claim`, `keep_reply`, `commit`; `after:commit`: the
store has done it, and the worker never hears so), and the pool. All else is the real worker.
"""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from functools import partial
from typing import Any, NoReturn, cast

from turnfold.sessions.store import SessionStore
from turnfold.settings import Settings
from turnfold_workers.main import run_worker
from turnfold_workers.worker_runtime import WorkerRuntime

STOPPED = "stopped before"
AFTER = "after:"


class StoppingStore:
    """A store, but for the step at which it stops; what else the worker does, such as renewing its lease, goes on."""

    def __init__(self, store: SessionStore, step: str) -> None:
        self._store, self._step = store, step

    def __getattr__(self, name: str) -> Any:
        if name == self._step:
            return self._stop
        return self._done_and_stop if f"{AFTER}{name}" == self._step else getattr(self._store, name)

    async def _done_and_stop(self, *arguments: Any, **named: Any) -> NoReturn:
        await getattr(self._store, self._step.removeprefix(AFTER))(*arguments, **named)
        await self._stop()

    async def _stop(self, *_: object, **__: object) -> NoReturn:
        sys.stdout.write(f"{STOPPED} {self._step}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()
        raise AssertionError("nobody sets that event")


class StoppingRuntime(WorkerRuntime):
    """The worker's own runtime over a store that stops."""

    def __init__(self, settings: Settings, step: str) -> None:
        super().__init__(settings)
        self._step = step

    async def start(self) -> None:
        await super().start()
        workshop, _ = self._opened()
        store = cast(SessionStore, StoppingStore(workshop.store, self._step))
        self._workshop = replace(workshop, store=store)


def main(step: str, pool: str = "threads") -> int:
    make = partial(StoppingRuntime, step=step)
    return run_worker(Settings(), make_runtime=make, pool=pool, concurrency=2)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
