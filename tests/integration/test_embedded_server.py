"""The embedded store: a real server, alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any, NoReturn

import pytest
import redis

from tests.support.processes import is_alive
from tests.support.waiting import wait_until
from turnfold.embedded import EmbeddedServer, binary, server
from turnfold.errors import BadInput, Unavailable
from turnfold.processes import free_port

REDIS: Any = redis.Redis  # the types of its methods are full of holes
STORE_OF_A_PARENT = """
import signal
from turnfold.embedded import EmbeddedServer
with EmbeddedServer() as store:
    print(store.pid, flush=True)
    signal.pause()
"""


def client_of(url: str) -> Any:
    return REDIS.from_url(url, decode_responses=True)


def test_it_answers_and_keeps_what_it_is_given() -> None:
    with EmbeddedServer() as store, client_of(store.redis_url) as client:
        settings = client.config_get("appendonly", "appendfsync", "save", "maxmemory-policy", "bind", "protected-mode")

    assert settings == {
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "maxmemory-policy": "noeviction",
        "bind": "127.0.0.1",
        "protected-mode": "yes",
    }


def test_store_and_broker_are_apart() -> None:
    with EmbeddedServer() as store, client_of(store.redis_url) as sessions, client_of(store.broker_url) as broker:
        sessions.set("name", "kept")

        assert broker.dbsize() == 0


def test_the_same_folder_again_has_the_same_data(tmp_path: Path) -> None:
    with EmbeddedServer(tmp_path / "new" / "folder") as store, client_of(store.redis_url) as client:
        client.set("name", "kept")

    with EmbeddedServer(tmp_path / "new" / "folder") as store, client_of(store.redis_url) as client:
        assert client.get("name") == "kept"


def test_a_killed_server_comes_back_on_its_port_with_its_data() -> None:
    with EmbeddedServer() as store:
        port = store.port
        with client_of(store.redis_url) as client:
            client.set("name", "kept")
        store.kill()
        assert store.wait() == -signal.SIGKILL

        store.start()

        with client_of(store.redis_url) as client:
            assert (store.port, client.get("name")) == (port, "kept")


def test_starting_it_twice_is_starting_it_once() -> None:
    with EmbeddedServer() as store:
        pid = store.pid

        store.start()

        assert store.pid == pid


def test_a_temporary_folder_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    with EmbeddedServer():
        assert list(tmp_path.iterdir())

    assert not list(tmp_path.iterdir())


def test_a_folder_has_one_store_at_a_time(tmp_path: Path) -> None:
    with EmbeddedServer(tmp_path):
        with pytest.raises(BadInput, match=f"{tmp_path} is in use") as raised:
            EmbeddedServer(tmp_path).start()

        assert "\n" not in raised.value.detail

    with EmbeddedServer(tmp_path) as store:
        assert store.pid


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(BadInput, match="--data"):
        EmbeddedServer(tmp_path / "file").start()


def test_it_dies_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", STORE_OF_A_PARENT],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        text=True,
    ) as parent:
        assert parent.stdout
        pid = int(parent.stdout.readline())

        parent.kill()

    wait_until(lambda: not is_alive(pid), description="the store has ended")


def test_a_folder_whose_owner_was_killed_is_free_again(tmp_path: Path) -> None:
    program = STORE_OF_A_PARENT.replace("EmbeddedServer()", f"EmbeddedServer(Path({str(tmp_path)!r}))")
    command = [sys.executable, "-c", "from pathlib import Path" + program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        parent.stdout.readline()
        parent.kill()

    with EmbeddedServer(tmp_path) as store:
        assert store.pid


def test_a_port_that_was_taken_meanwhile_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with EmbeddedServer() as first:
        free = free_port()
        ports = iter([first.port, free])
        monkeypatch.setattr(server, "free_port", lambda: next(ports))

        with EmbeddedServer() as second:
            assert second.port == free


def test_a_server_that_does_not_start_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\necho no room on the disk\nexit 3\n")
    broken.chmod(0o755)
    monkeypatch.setattr(server, "find_binary", lambda: broken)

    with pytest.raises(Unavailable, match="ended with 3: no room on the disk"):
        EmbeddedServer(tmp_path / "data").start()


def test_a_machine_without_a_server_is_told_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(_: str) -> NoReturn:
        raise PackageNotFoundError

    monkeypatch.setattr(binary, "files", nothing)

    with pytest.raises(BadInput, match="TURNFOLD_REDIS_URL: set it"):
        EmbeddedServer().start()


def test_it_is_in_the_session_of_its_parent_but_out_of_reach_of_its_terminal() -> None:
    with EmbeddedServer() as store:
        assert store.pid
        assert os.getsid(store.pid) == os.getsid(0)
        assert os.getpgid(store.pid) != os.getpgid(0)
