"""Heavy work beside the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

# One at a time: the work is Python's own, and two threads of it would only take the loop's share.
_executor = ThreadPoolExecutor(1, thread_name_prefix="turnfold-beside")


async def run_beside(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The result of work that takes too long for an event loop; the loop goes on meanwhile."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_executor, lambda: work(*args, **kwargs))
