"""The log lines of all parts, one after the other."""

from __future__ import annotations

import os
import queue
import threading
from contextlib import suppress
from typing import Self

NAME_WIDTH = 6
# Lines that wait for a slow reader; further ones are dropped.
MOST_WAITING = 10_000
CLOSE_TIMEOUT_SECONDS = 0.5


class LogLines:
    """Writes `name | line` to a descriptor.

    A reader that does not read must not stop the parts: what it leaves is kept up to a bound, then dropped.
    A context manager: left, it has written what was said, or has given up after half a second.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._given_up = threading.Event()
        self._waiting: queue.Queue[bytes | None] = queue.Queue(MOST_WAITING)
        # A daemon, and no lock of Python's streams: a write that blocks must not hold up the end of the process.
        self._thread = threading.Thread(target=self._write, name="turnfold-log-lines", daemon=True)

    def say(self, name: str, line: str) -> None:
        with suppress(queue.Full):
            self._waiting.put_nowait(f"{name:<{NAME_WIDTH}} | {line}\n".encode(errors="replace"))

    def __enter__(self) -> Self:
        self._descriptor = os.dup(self._descriptor)  # the thread's own, which it closes when it is done with it
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(queue.Full):
            self._waiting.put(None, timeout=CLOSE_TIMEOUT_SECONDS)
        self._thread.join(CLOSE_TIMEOUT_SECONDS)
        self._given_up.set()

    def _write(self) -> None:
        while (line := self._waiting.get()) is not None and not self._given_up.is_set():
            with suppress(OSError):  # nobody reads any more
                _write_all(self._descriptor, line)
        os.close(self._descriptor)


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
