"""A part of the system that is a command."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

from turnfold.processes import start_tied


@dataclass(frozen=True)
class ChildSpec:
    """What to start.

    Attributes:
        name: what its log lines are headed by.
        command: program and arguments.
        ready_event: the log event by which it says that it works; empty: it works as soon as it runs.
    """

    name: str
    command: tuple[str, ...]
    ready_event: str = ""


class Child:
    """A command as a child process; each line that it writes goes to `say`, with its name."""

    def __init__(self, spec: ChildSpec, *, env: Mapping[str, str], say: Callable[[str, str], None]) -> None:
        self._spec = spec
        self._env = env
        self._say = say
        self._process: subprocess.Popen[bytes] | None = None
        self._ready = threading.Event()

    @property
    def is_ready(self) -> bool:
        """Whether it has said that it works, since it was started last."""
        return self._ready.is_set()

    @property
    def name(self) -> str:
        return self._spec.name

    def start(self) -> None:
        if self._process and self._process.poll() is None:
            return
        self._ready.clear()
        if not self._spec.ready_event:
            self._ready.set()
        self._process = start_tied(self._spec.command, env=self._env, stdout=subprocess.PIPE)
        if self._process.stdout:
            threading.Thread(target=self._pass_on, args=(self._process.stdout,), daemon=True).start()

    def wait(self) -> int:
        return self._process.wait() if self._process else 0

    def terminate(self) -> None:
        if self._process:
            self._process.terminate()

    def kill(self) -> None:
        """With all that it has started."""
        if self._process and self._process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def _pass_on(self, output: IO[bytes]) -> None:
        with output:
            for line in output:
                if not self._ready.is_set() and self._spec.ready_event.encode() in line:
                    self._ready.set()
                self._say(self.name, line.decode(errors="replace").rstrip("\r\n"))
