"""`turnfold up` as a process, seen from outside."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import redis

from tests.support.processes import descendants_of
from tests.support.waiting import wait_until

REDIS: Any = redis.Redis  # the types of its methods are full of holes
START_TIMEOUT_SECONDS = 30


@dataclass(frozen=True)
class Up:
    """A running `turnfold up`."""

    process: subprocess.Popen[bytes]
    output: Path
    errors: Path

    def ready_url(self) -> str:
        """Waits for the line that says so."""
        wait_until(
            lambda: self.output.read_text().endswith("\n") or self.process.poll() is not None,
            description="the ready line",
            timeout_seconds=START_TIMEOUT_SECONDS,
        )
        line = re.fullmatch(r"turnfold is ready at (http://127\.0\.0\.1:\d+)\n", self.output.read_text())
        assert line, self.errors.read_text()
        return line[1]

    def pid_of(self, words: str) -> int | None:
        """The child with these words in its command line."""
        return next((pid for pid, line in descendants_of(self.process.pid).items() if words in line), None)

    def store(self) -> Any:
        line = next(line for line in descendants_of(self.process.pid).values() if "valkey-server" in line)
        port = re.search(r"127\.0\.0\.1:(\d+)", line)
        assert port, line
        return REDIS("127.0.0.1", int(port[1]), decode_responses=True)


class Starter:
    """Starts the command, and ends at the end of the test what it has started."""

    def __init__(self, command: tuple[str, ...], folder: Path) -> None:
        self.command = command
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        self._folder = folder
        self._started: list[subprocess.Popen[bytes]] = []

    def __call__(self, *arguments: str, env: Mapping[str, str] | None = None) -> Up:
        number = len(self._started)
        output, errors = self._folder / f"output{number}", self._folder / f"errors{number}"
        with output.open("wb") as stdout, errors.open("wb") as stderr:
            process = subprocess.Popen(
                [*self.command, *arguments],
                cwd=self._folder,
                env={**os.environ, "TMPDIR": str(self.temporary), **(env or {})},
                stdout=stdout,
                stderr=stderr,
            )
        self._started.append(process)
        return Up(process, output, errors)

    def end(self) -> None:
        for process in self._started:
            process.kill()
            process.wait()
