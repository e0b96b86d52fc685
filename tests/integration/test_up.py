"""`turnfold up` from outside: the real command, and the same command with tiny parts."""

from __future__ import annotations

import os
import re
import signal
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest
import redis

from tests.support import small_system
from tests.support.processes import descendants_of, is_alive
from tests.support.up_process import START_TIMEOUT_SECONDS, Starter
from tests.support.waiting import wait_until
from turnfold.embedded import EmbeddedServer
from turnfold.processes import free_port
from turnfold.supervisor import running_system

REDIS: Any = redis.Redis  # the types of its methods are full of holes
COMMANDS = {
    "tiny parts": (sys.executable, small_system.__file__, "up"),
    "real parts": (sys.executable, "-m", "turnfold", "up"),
}
CHILDREN = ("turnfold api", "turnfold worker", "turnfold beat", "valkey-server")


@pytest.fixture(params=COMMANDS)
def up(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Starter]:
    starter = Starter(COMMANDS[request.param], tmp_path)
    yield starter
    starter.end()


def test_it_says_when_it_is_ready_and_is(up: Starter) -> None:
    port = free_port()

    url = up("--port", str(port)).ready_url()

    assert url == f"http://127.0.0.1:{port}"
    with urllib.request.urlopen(f"{url}/readyz") as answer:
        assert answer.status == 200


def test_its_parts_are_children_in_its_own_session(up: Starter) -> None:
    running = up("--port", "0")
    running.ready_url()

    for words in CHILDREN:
        pid = running.pid_of(words)
        assert pid, words
        assert os.getsid(pid) == os.getsid(running.process.pid)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_asked_to_end_it_exits_with_0_and_leaves_nothing(up: Starter, number: signal.Signals) -> None:
    running = up("--port", "0")
    running.ready_url()
    children = descendants_of(running.process.pid)

    running.process.send_signal(number)

    assert running.process.wait(timeout=10) == 0
    assert [line for pid, line in children.items() if is_alive(pid)] == []
    assert list(up.temporary.glob("turnfold-*")) == []


def test_asked_to_end_while_it_starts_it_exits_with_0_and_leaves_nothing(up: Starter) -> None:
    running = up("--port", "0")
    wait_until(lambda: running.pid_of("valkey-server"), description="it has begun", timeout_seconds=10)
    children = descendants_of(running.process.pid)

    running.process.terminate()

    assert running.process.wait(timeout=10) == 0
    assert [line for pid, line in children.items() if is_alive(pid)] == []
    assert list(up.temporary.glob("turnfold-*")) == []


def test_killed_it_leaves_no_process_behind(up: Starter) -> None:
    running = up("--port", "0")
    running.ready_url()
    children = descendants_of(running.process.pid)
    assert len(children) >= len(CHILDREN)

    running.process.kill()
    running.process.wait()

    wait_until(lambda: not any(map(is_alive, children)), description="all children have ended")


@pytest.mark.parametrize("words", CHILDREN)
def test_a_killed_part_is_back_within_two_seconds(up: Starter, words: str) -> None:
    running = up("--port", "0")
    url = running.ready_url()
    first = running.pid_of(words)
    assert first

    os.kill(first, signal.SIGKILL)

    wait_until(lambda: running.pid_of(words) not in {None, first}, description=f"{words} is back", timeout_seconds=2.0)
    wait_until(lambda: answers_200(f"{url}/readyz"), description="ready again", timeout_seconds=START_TIMEOUT_SECONDS)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_with_a_folder_its_data_survive(up: Starter, tmp_path: Path, number: signal.Signals) -> None:
    data = str(tmp_path / "data")
    first = up("--port", "0", "--data", data)
    first.ready_url()
    with first.store() as store:
        store.set("test:name", "kept")
    first.process.send_signal(number)
    first.process.wait(timeout=10)

    second = up("--port", "0", "--data", data)
    second.ready_url()

    with second.store() as store:
        assert store.get("test:name") == "kept"


def test_a_killed_store_comes_back_with_its_data_on_its_port(up: Starter) -> None:
    running = up("--port", "0")
    running.ready_url()
    with running.store() as store:
        store.set("test:name", "kept")
        pid = running.pid_of("valkey-server")
        assert pid

        os.kill(pid, signal.SIGKILL)

        wait_until(lambda: answers_ping(store), description="the store answers again")
        assert store.get("test:name") == "kept"


def test_a_folder_in_use_is_refused(up: Starter, tmp_path: Path) -> None:
    with EmbeddedServer(tmp_path / "data"):
        refused = up("--port", "0", "--data", str(tmp_path / "data"))

        assert refused.process.wait(timeout=10) == 2

    assert re.fullmatch(r"turnfold: --data: .* is in use by another turnfold\n", refused.errors.read_text())


def test_a_taken_port_is_refused_before_anything_starts(up: Starter, tmp_path: Path) -> None:
    with EmbeddedServer() as listener:
        refused = up("--port", str(listener.port), "--data", str(tmp_path / "data"))

        assert refused.process.wait(timeout=10) == 2

    assert re.fullmatch(rf"turnfold: --port: {listener.port} is taken.*\n", refused.errors.read_text())
    assert not (tmp_path / "data").exists()


def test_a_store_that_is_given_is_used(up: Starter) -> None:
    with EmbeddedServer() as store:
        running = up("--port", "0", env={"TURNFOLD_REDIS_URL": store.redis_url})
        running.ready_url()

        assert running.pid_of("turnfold worker")
        assert not running.pid_of("valkey-server")

        running.process.terminate()
        assert running.process.wait(timeout=10) == 0


def test_the_lines_of_its_parts_carry_their_names(tmp_path: Path) -> None:
    up = Starter(COMMANDS["tiny parts"], tmp_path)
    running = up("--port", "0")
    try:
        running.ready_url()

        wait_until(
            lambda: {"worker | here I am", "beat   | here I am"} <= set(running.errors.read_text().splitlines()),
            description="the lines of worker and schedule",
        )
    finally:
        up.end()


def test_a_program_can_have_the_system_for_a_while(tmp_path: Path) -> None:
    with (tmp_path / "log").open("wb") as log:
        with running_system(parts=small_system.tiny_parts, log_to=log.fileno()) as system:
            assert answers_200(f"{system.base_url}/readyz")
            with REDIS.from_url(system.redis_url) as store:
                assert answers_ping(store)
            children = descendants_of(os.getpid())

        assert [line for pid, line in children.items() if is_alive(pid)] == []


def test_an_interruption_ends_the_system(tmp_path: Path) -> None:
    children: dict[int, str] = {}

    def interrupted() -> NoReturn:
        with (
            (tmp_path / "log").open("wb") as log,
            running_system(parts=small_system.tiny_parts, log_to=log.fileno()),
        ):
            children.update(descendants_of(os.getpid()))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()

    assert len(children) >= len(CHILDREN)
    assert [line for pid, line in children.items() if is_alive(pid)] == []


def test_a_log_that_nobody_reads_stops_no_part() -> None:
    reading_end, writing_end = os.pipe()

    with running_system(parts=small_system.tiny_parts, log_to=writing_end) as system:
        for _ in range(1500):  # a line each: more than a pipe holds
            assert answers_200(f"{system.base_url}/readyz")

    os.close(reading_end)
    os.close(writing_end)


def answers_200(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def answers_ping(store: Any) -> bool:
    try:
        return bool(store.ping())
    except redis.RedisError:
        return False
