"""Starts the worker of `recording_worker` as a process, and reads what it wrote down."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.waiting import wait_until
from turnfold.processes import start_tied

ROOT = Path(__file__).parents[2]
START_SECONDS = 30.0
WORK_SECONDS = 30.0


@dataclass
class WorkerProcess:
    process: subprocess.Popen[bytes]
    folder: Path

    def record(self) -> list[str]:
        """What the runtime did, in order, without process ids."""
        return [line.partition(" by ")[0] for line in self._lines()]

    def pids(self) -> set[int]:
        return {int(line.partition(" by ")[2]) for line in self._lines()}

    def started_jobs(self) -> list[str]:
        return [line.removeprefix("started ") for line in self.record() if line.startswith("started ")]

    def wait_for(self, line: str, *, times: int = 1) -> None:
        wait_until(
            lambda: self.record().count(line) >= times,
            description=f"the worker wrote {line!r} {times} times; its log: {self.log()[-3000:]}",
            timeout_seconds=WORK_SECONDS,
        )

    def release(self) -> None:
        """Lets the held jobs end."""
        (self.folder / "release").touch()

    def log(self) -> str:
        return (self.folder / "log").read_text()

    def wait_until_ready(self) -> None:
        wait_until(
            lambda: "worker.ready" in self.log() or not self.is_alive(),
            description="the worker is ready",
            timeout_seconds=START_SECONDS,
        )
        assert self.is_alive(), self.log()

    def is_alive(self) -> bool:
        return self.process.poll() is None

    def ask_to_end(self, by: signal.Signals = signal.SIGTERM) -> None:
        self.process.send_signal(by)

    def exit_code(self) -> int:
        return self.process.wait(WORK_SECONDS)

    def _lines(self) -> list[str]:
        record = self.folder / "record"
        return record.read_text().splitlines() if record.exists() else []


@contextmanager
def running_worker(
    folder: Path,
    broker_url: str,
    *,
    part: str = "worker",
    concurrency: int = 4,
    pool: str = "threads",
    environment: dict[str, str] | None = None,
) -> Generator[WorkerProcess]:
    """A worker's process that is ready, and gone at the end of the block."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "tests.support.recording_worker", part, str(folder / "record")]
    if part == "worker":
        command += ["--concurrency", str(concurrency), "--pool", pool]
    with (folder / "log").open("wb") as log:
        process = start_tied(
            command,
            cwd=ROOT,
            env=os.environ | {"TURNFOLD_BROKER_URL": broker_url, "TURNFOLD_LOG_FORMAT": "json"} | (environment or {}),
            stdout=log.fileno(),
        )
    worker = WorkerProcess(process, folder)
    try:
        if part == "worker":
            worker.wait_until_ready()
        yield worker
    finally:
        process.kill()
        process.wait()
