"""`turnfold demo` from outside: what it shows, and what it leaves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.processes import descendants_of, is_alive
from tests.support.waiting import wait_until
from turnfold import jsonio

DEMO_SECONDS = 60.0
PARTS = ("turnfold api", "turnfold worker", "turnfold beat", "valkey-server")
AUDIT_LINE = "Audit: nothing lost, all covered, pairs intact, counts right."


@dataclass(frozen=True)
class Demo:
    """A running demo, and what it has shown."""

    process: subprocess.Popen[bytes]
    output_file: Path

    def output(self) -> str:
        return self.output_file.read_text()

    def wait_for(self, words: str) -> None:
        wait_until(
            lambda: words in self.output() or self.process.poll() is not None,
            description=f"the demo says {words}",
            timeout_seconds=DEMO_SECONDS,
        )
        assert words in self.output(), self.output()


class Starter:
    """Starts demos in a folder of the test's, and ends those that still run."""

    def __init__(self, folder: Path) -> None:
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        self._folder = folder
        self._started: list[subprocess.Popen[bytes]] = []

    def __call__(self, *arguments: str) -> Demo:
        output_file = self._folder / f"output{len(self._started)}"
        # A test run in the background may ignore SIGINT, and its children would, too.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            with output_file.open("wb") as output:
                process = subprocess.Popen(
                    [sys.executable, "-m", "turnfold", "demo", *arguments],
                    cwd=self._folder,
                    env={**os.environ, "TMPDIR": str(self.temporary), "COLUMNS": "120"},
                    stdout=output,
                    stderr=subprocess.STDOUT,
                )
        finally:
            signal.signal(signal.SIGINT, before)
        self._started.append(process)
        return Demo(process, output_file)

    def end(self) -> None:
        for process in self._started:
            process.kill()
            process.wait()


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Starter]:
    starter = Starter(tmp_path)
    yield starter
    starter.end()


def test_it_plays_a_conversation_shows_what_was_saved_and_ends_with_0(demo: Starter) -> None:
    running = demo()
    running.wait_for("They run: http://127.0.0.1:")
    parts = descendants_of(running.process.pid)

    assert running.process.wait(DEMO_SECONDS) == 0, running.output()

    assert all(any(words in line for line in parts.values()) for words in PARTS)
    output = running.output()
    for words in ("Before and after", "without turnfold", "with turnfold", "saved", "in the last turn", "in all turns"):
        assert words in output
    for words in ("summary queued", "summary committed", "summary used", "made of", "first used"):
        assert words in output
    assert "No request waited for a summarizer" in output
    assert AUDIT_LINE in output
    assert [line for pid, line in parts.items() if is_alive(pid)] == []
    assert list(demo.temporary.iterdir()) == []


def test_interrupted_in_the_middle_it_leaves_nothing(demo: Starter) -> None:
    running = demo()
    running.wait_for("turn   5")
    parts = descendants_of(running.process.pid)
    assert len(parts) >= len(PARTS)

    running.process.send_signal(signal.SIGINT)

    assert running.process.wait(10) != 0
    assert AUDIT_LINE not in running.output()
    assert "Traceback" not in running.output()
    assert [line for pid, line in parts.items() if is_alive(pid)] == []
    assert list(demo.temporary.iterdir()) == []


def test_killed_in_the_middle_it_leaves_no_process(demo: Starter) -> None:
    running = demo()
    running.wait_for("turn   5")
    parts = descendants_of(running.process.pid)

    running.process.kill()
    running.process.wait()

    wait_until(lambda: not any(map(is_alive, parts)), description="all parts have ended")


def test_a_conversation_of_ones_own_without_much_to_fold(demo: Starter, tmp_path: Path) -> None:
    file = tmp_path / "own.json"
    file.write_bytes(jsonio.dumps([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]))

    running = demo(str(file))

    assert running.process.wait(DEMO_SECONDS) == 0, running.output()
    assert AUDIT_LINE in running.output()


def test_a_file_that_is_not_there_is_told_in_one_line(demo: Starter) -> None:
    running = demo("nowhere.json")

    assert running.process.wait(DEMO_SECONDS) == 2
    assert len(running.output().splitlines()) == 1
    assert "nowhere.json" in running.output()
