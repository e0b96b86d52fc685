"""Standard streams that are always there, and a reader that leaves."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _Outlet(io.FileIO):
    """A stream that goes nowhere once its reader has left: that is no fault, and the command keeps its exit code."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            return self._lost(data)

    def _lost(self, data: ReadableBuffer) -> int:
        lead_nowhere(self.fileno())
        return memoryview(data).nbytes


class _ErrorOutlet(_Outlet):
    """Where even a full disk is no fault: there is nobody left to be told."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return self._lost(data)


def open_streams() -> None:
    """A stream that the caller closed is there, and empty; the others bear a reader that leaves."""
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123  # as long as the process
    sys.stdout = _bearing(sys.stdout, _Outlet) if sys.stdout is sys.__stdout__ else sys.stdout
    sys.stderr = _bearing(sys.stderr, _ErrorOutlet) if sys.stderr is sys.__stderr__ else sys.stderr


def lead_nowhere(descriptor: int) -> None:
    """What is still to be written there is lost in silence; the interpreter would complain at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def _bearing(stream: TextIO | None, kind: type[_Outlet]) -> TextIO:
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123  # as long as the process
    outlet = kind(stream.fileno(), "w", closefd=False)
    is_told_at_once = bool(getattr(stream, "write_through", False))  # as under python -u
    return io.TextIOWrapper(
        outlet if is_told_at_once else io.BufferedWriter(outlet),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=bool(getattr(stream, "line_buffering", False)),
        write_through=is_told_at_once,
    )
