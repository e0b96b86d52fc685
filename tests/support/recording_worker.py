"""A worker, or a beat, whose runtime writes down what it is asked to do, for tests that run it as a process.

A job whose id starts with `hold` runs until the file `release` appears beside the record; `fail` raises.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from pathlib import Path

from turnfold.settings import Settings
from turnfold_workers.main import run_beat, run_worker
from turnfold_workers.runtime import Runtime

HELD_POLL_SECONDS = 0.01


class RecordingRuntime(Runtime):
    def __init__(self, record: Path) -> None:
        self._record = record
        self._release = record.with_name("release")

    async def start(self) -> None:
        self._write("opened")

    async def run_job(self, job_id: str) -> None:
        self._write(f"started {job_id}")
        if job_id.startswith("fail"):
            raise ValueError("the words of a conversation")
        while job_id.startswith("hold") and not self._release.exists():  # noqa: ASYNC110 - set by another process
            await asyncio.sleep(HELD_POLL_SECONDS)
        self._write(f"finished {job_id}")

    def hand_back(self) -> None:
        """Its jobs end when a test lets them."""

    async def sweep(self) -> None:
        self._write("swept")

    async def poll(self) -> int:
        self._write("polled")
        return 0

    async def close(self) -> None:
        self._write("closed")

    def _write(self, line: str) -> None:
        with self._record.open("a") as file:
            file.write(f"{line} by {os.getpid()}\n")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("part", choices=["worker", "beat"])
    parser.add_argument("record", type=Path)
    parser.add_argument("--concurrency", type=int, default=4)
    parser.add_argument("--pool", default="threads")
    arguments = parser.parse_args()
    settings = Settings()
    if arguments.part == "beat":
        run_beat(settings)
        return
    sys.exit(
        run_worker(
            settings,
            concurrency=arguments.concurrency,
            pool=arguments.pool,
            make_runtime=lambda _: RecordingRuntime(arguments.record),
        )
    )


if __name__ == "__main__":
    main()
