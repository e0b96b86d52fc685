"""The garbage collector held while a large conversation is read or compacted."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager

LARGE = 2_000


@contextmanager
def held_collector(messages: int) -> Generator[None]:
    """No collection within, where it is about that many messages or more; afterwards as it was before.

    What is made then nearly all stays, and CPython walks all objects that exist each time that their number has grown
    by a quarter: for 20,000 messages a third of the time, for nothing. Only for work that awaits nothing.
    """
    if messages < LARGE or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
