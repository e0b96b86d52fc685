"""What each peer's script shares: the chat from a file, medians, one JSON line a measurement on standard output."""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any


def chat() -> list[dict[str, Any]]:
    """The chat of the file that is named on the command line."""
    messages: list[dict[str, Any]] = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    return messages


def times(messages: int) -> int:
    return 15 if messages < 5_000 else 3


def report(what: str, prepare: Callable[[], Any], work: Callable[[Any], Any], *, count: int) -> None:
    """Prints the median of `work` on what `prepare` makes afresh each time; making it is not timed."""
    taken: list[float] = []
    for _ in range(count):
        prepared = prepare()
        started = time.perf_counter()
        work(prepared)
        taken.append(1000 * (time.perf_counter() - started))
    print(json.dumps({"what": what, "ms": statistics.median(taken)}), flush=True)


def waited(work: Callable[[Any], Awaitable[Any]]) -> Callable[[Any], Any]:
    """The same, run to its end on one loop."""
    loop = asyncio.new_event_loop()
    return lambda prepared: loop.run_until_complete(_awaited(work, prepared))


async def _awaited(work: Callable[[Any], Awaitable[Any]], prepared: Any) -> Any:
    return await work(prepared)
