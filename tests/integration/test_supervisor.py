"""Keeping children running: real processes, tiny ones."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from tests.support.processes import is_alive
from tests.support.waiting import wait_until
from turnfold.errors import Unavailable
from turnfold.processes import free_port, port_is_free, start_tied
from turnfold.supervisor import Child, ChildSpec, Supervisor
from turnfold.supervisor.log_lines import MOST_WAITING, LogLines
from turnfold.supervisor.readiness import wait_until_ready

SAYS_ITS_PID = "import os, signal; print(os.getpid(), flush=True); signal.pause()"
ENDS = "import os; print(os.getpid())"
IGNORES_SIGTERM = (
    "import os, signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(os.getpid(), flush=True)\n"
    "while True: signal.pause()"
)
LISTENS = """
import signal, socket
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
signal.pause()
"""
PARENT = """
import signal, sys
from turnfold.processes import start_tied
child = start_tied([sys.executable, "-c", sys.argv[1]], stdout=1, watchdog=sys.argv[2] == "watchdog")
signal.pause()
"""


class Lines:
    """What the parts have said."""

    def __init__(self) -> None:
        self.said: list[tuple[str, str]] = []
        self._lock = threading.Lock()

    def say(self, name: str, line: str) -> None:
        with self._lock:
            self.said.append((name, line))

    def pids(self, name: str) -> list[int]:
        return [int(line) for who, line in self.said if who == name and line.isdigit()]


def names_of_threads() -> set[str]:
    return {thread.name for thread in threading.enumerate()}


@pytest.fixture
def lines() -> Iterator[Lines]:
    """Nothing that has said its process id lives on after the test."""
    lines = Lines()
    yield lines
    pids = [int(line) for _, line in lines.said if line.isdigit()]
    wait_until(lambda: not any(map(is_alive, pids)), description="no child is left")


def child(lines: Lines, name: str, program: str) -> Child:
    spec = ChildSpec(name, (sys.executable, "-c", program))
    return Child(spec, env=dict(os.environ), say=lines.say)


def test_children_run_until_the_block_ends(lines: Lines) -> None:
    parts = [child(lines, name, SAYS_ITS_PID) for name in ("one", "two")]

    with Supervisor(parts, say=lines.say):
        wait_until(lambda: lines.pids("one") and lines.pids("two"), description="both run")
        running = lines.pids("one") + lines.pids("two")
        assert all(map(is_alive, running))

    assert not any(map(is_alive, running))


def test_a_killed_child_is_back_within_two_seconds(lines: Lines) -> None:
    with Supervisor([child(lines, "one", SAYS_ITS_PID)], say=lines.say):
        (first,) = wait_until(lambda: lines.pids("one"), description="it runs")

        os.kill(first, 9)

        wait_until(lambda: len(lines.pids("one")) == 2, description="it runs again", timeout_seconds=2)
    assert ("one", "killed by signal 9; starting it again") in lines.said


def test_a_child_that_dies_again_and_again_takes_longer_pauses(lines: Lines) -> None:
    with Supervisor([child(lines, "one", ENDS)], say=lines.say) as supervisor:
        began = time.monotonic()
        wait_until(lambda: supervisor.deaths()["one"] == 4, description="it has died four times")

    assert time.monotonic() - began > 0.1 + 0.2 + 0.4


def test_a_child_that_ignores_the_request_to_end_is_killed(lines: Lines) -> None:
    with Supervisor([child(lines, "one", IGNORES_SIGTERM)], say=lines.say, stop_timeout_seconds=0.3):
        wait_until(lambda: lines.pids("one"), description="it runs")

    assert not any(map(is_alive, lines.pids("one")))


def test_a_block_that_ends_at_once_leaves_nothing_behind(lines: Lines) -> None:
    for _ in range(5):
        with Supervisor([child(lines, "one", SAYS_ITS_PID)], say=lines.say):
            pass


def test_a_command_that_does_not_exist_is_said_so(lines: Lines) -> None:
    part = Child(ChildSpec("one", ("/no/such/program",)), env=dict(os.environ), say=lines.say)

    with Supervisor([part], say=lines.say):
        wait_until(lambda: ("one", "/no/such/program: No such file or directory") in lines.said, description="said so")


def test_a_system_with_a_hopeless_child_does_not_wait_for_ever(lines: Lines) -> None:
    with (
        Supervisor([child(lines, "one", ENDS)], say=lines.say) as supervisor,
        pytest.raises(Unavailable, match="one ends as soon as it is started"),
    ):
        wait_until_ready(free_port(), supervisor)


def test_a_system_that_does_not_get_ready_says_so(lines: Lines) -> None:
    with (
        Supervisor([child(lines, "one", SAYS_ITS_PID)], say=lines.say) as supervisor,
        pytest.raises(Unavailable, match=r"not ready within 0\.2 s"),
    ):
        wait_until_ready(free_port(), supervisor, timeout_seconds=0.2)


@pytest.mark.parametrize(
    "way", ["watchdog", pytest.param("kernel", marks=pytest.mark.skipif("sys.platform != 'linux'"))]
)
def test_a_child_dies_with_a_parent_that_is_killed(way: str) -> None:
    command = [sys.executable, "-c", PARENT, SAYS_ITS_PID, way]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        pid = int(parent.stdout.readline())

        parent.kill()

    wait_until(lambda: not is_alive(pid), description="the child has ended")


@pytest.mark.parametrize("watchdog", [False, True])
def test_a_child_outlives_the_thread_that_started_it(watchdog: bool) -> None:
    started: list[subprocess.Popen[bytes]] = []
    command = [sys.executable, "-c", SAYS_ITS_PID]
    thread = threading.Thread(
        target=lambda: started.append(start_tied(command, stdout=subprocess.PIPE, watchdog=watchdog))
    )
    thread.start()
    thread.join()

    with started[0] as process:
        assert process.stdout
        assert int(process.stdout.readline()) == process.pid
        assert process.poll() is None
        process.kill()


def test_a_reader_that_does_not_read_stops_nobody() -> None:
    reading_end, writing_end = os.pipe()

    with LogLines(writing_end) as log:
        for number in range(2 * MOST_WAITING):
            log.say("api", f"line {number}")

    assert os.read(reading_end, 15) == b"api    | line 0"
    os.close(reading_end)  # ends the write that still waits
    os.close(writing_end)
    wait_until(lambda: "turnfold-log-lines" not in names_of_threads(), description="it has given up")


def test_a_port_that_is_listened_on_is_not_free() -> None:
    with subprocess.Popen([sys.executable, "-c", LISTENS], stdout=subprocess.PIPE, text=True) as listener:
        assert listener.stdout
        port = int(listener.stdout.readline())

        assert not port_is_free(port)

        listener.kill()
    assert port_is_free(port)


def test_what_has_not_said_that_it_works_is_waited_for(lines: Lines) -> None:
    program = """
import os, signal
signal.signal(signal.SIGUSR1, lambda *_: print("works now", flush=True))
print(os.getpid(), flush=True)
while True: signal.pause()
"""
    part = Child(ChildSpec("one", (sys.executable, "-c", program), "works now"), env=dict(os.environ), say=lines.say)

    with Supervisor([part], say=lines.say) as supervisor:
        (pid,) = wait_until(lambda: lines.pids("one"), description="it runs")
        assert supervisor.waits_for() == ["one"]
        wait_until(lambda: _nudged(pid, supervisor), description="it says that it works")


def _nudged(pid: int, supervisor: Supervisor) -> bool:
    os.kill(pid, signal.SIGUSR1)
    return not supervisor.waits_for()
