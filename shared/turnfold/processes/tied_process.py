"""Starts a process that does not outlive this one."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from turnfold.processes import launcher


def start_tied(
    command: Sequence[str],
    *,
    stdout: int,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    pass_fds: Sequence[int] = (),
    watchdog: bool = sys.platform != "linux",
) -> subprocess.Popen[bytes]:
    """A child that is killed when this process ends, even by SIGKILL, and that Ctrl-C in the terminal does not reach.

    Its process id is that of the command. It has a process group of its own, in this session.

    Args:
        command: program and arguments; the program is looked for on the PATH.
        stdout: where its standard output and standard error go: a descriptor, or `subprocess.PIPE`.
        env: its environment; this process's own if not given.
        cwd: its working directory; this process's own if not given.
        pass_fds: descriptors that it inherits.
        watchdog: use a watchdog process, for systems whose kernel does not tell of a parent's death.
    """
    lifeline = (_lifeline(),) if watchdog else ()
    words = [str(os.getpid()), str(lifeline[0]) if lifeline else "-", *command]

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", launcher.__file__, *words],
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.STDOUT,
            env=env,
            cwd=cwd,
            pass_fds=(*pass_fds, *lifeline),
            process_group=0,
        )

    return _spawner().submit(start).result()


@functools.cache
def _spawner() -> ThreadPoolExecutor:
    # To Linux, the parent is the thread that started the child: it must live as long as this process.
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="turnfold-spawner")


@functools.cache
def _lifeline() -> int:
    """The reading end of a pipe whose writing end closes when this process ends."""
    reading_end, _held_open = os.pipe()
    return reading_end
