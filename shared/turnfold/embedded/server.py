"""A Valkey server of one's own."""

from __future__ import annotations

import os
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from turnfold.embedded.binary import find_binary
from turnfold.embedded.data_folder import DataFolder
from turnfold.errors import Unavailable
from turnfold.processes import free_port, start_tied
from turnfold.processes.ports import LOOPBACK

STORE_FOLDER = "store"
LOG_FILE = "server.log"
STOP_TIMEOUT_SECONDS = 2.0
_PORT_TRIES = 5
_POLL_SECONDS = 0.01
_TAIL_LINES = 3

# Every write is in the file before its reply is sent, and on the disk within a second; nothing is ever evicted.
SETTINGS = (
    *("--bind", LOOPBACK, "--protected-mode", "yes", "--daemonize", "no", "--dir", ".", "--logfile", ""),
    *("--appendonly", "yes", "--appendfsync", "everysec", "--save", "", "--maxmemory-policy", "noeviction"),
)


class EmbeddedServer:
    """A real store on a free loopback port, which ends with this process however that ends.

    A context manager: entered, it answers; left, it is gone, and so is its folder if that was temporary.

    Args:
        data: where it keeps its data; the same folder again has the same data. A temporary folder if not given.
        start_timeout_seconds: how long it may take to answer, reading its data included.
    """

    name = "store"

    def __init__(self, data: Path | None = None, *, start_timeout_seconds: float = 60.0) -> None:
        self._data = data
        self._start_timeout_seconds = start_timeout_seconds
        self._folder: DataFolder | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._port: int | None = None

    @property
    def port(self) -> int:
        """The same at every start of this object."""
        if self._port is None:
            raise Unavailable("the embedded store has not been started")
        return self._port

    @property
    def pid(self) -> int | None:
        """Process id of the server that runs now."""
        return self._process.pid if self._running() and self._process else None

    @property
    def is_ready(self) -> bool:
        """Whether it runs: it answers as soon as `start` is back."""
        return self._running()

    @property
    def redis_url(self) -> str:
        """Database 0: sessions and jobs."""
        return f"redis://{LOOPBACK}:{self.port}/0"

    @property
    def broker_url(self) -> str:
        """Database 1: Celery's messages."""
        return f"redis://{LOOPBACK}:{self.port}/1"

    def start(self) -> None:
        """Returns when the server answers; does nothing if it runs already.

        Raises:
            BadInput: there is no server for this machine, or the folder can't be used.
            Unavailable: it does not start; with the end of its log.
        """
        if self._running():
            return
        binary = find_binary()
        if self._folder is None:
            self._folder = DataFolder.open(self._data)
        try:
            self._start_on_a_port(binary, self._folder)
        except BaseException:
            self.kill()
            self.wait()
            raise

    def wait(self) -> int:
        """Waits for the server's end and returns its exit status."""
        return self._process.wait() if self._process else 0

    def terminate(self) -> None:
        """Asks it to end."""
        if self._process:
            self._process.terminate()

    def kill(self) -> None:
        """Ends it at once. What it has answered is safe all the same."""
        if self._process:
            self._process.kill()

    def stop(self) -> None:
        """Ends the server and lets go of its folder."""
        self.terminate()
        with suppress(subprocess.TimeoutExpired):
            if self._process:
                self._process.wait(STOP_TIMEOUT_SECONDS)
        self.kill()
        self.wait()
        if self._folder:
            self._folder.close()
            self._folder = None

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _start_on_a_port(self, binary: Path, folder: DataFolder) -> None:
        if self._port is not None:
            self._start_on(self._port, binary, folder)
            return
        for tries_left in reversed(range(_PORT_TRIES)):
            port = free_port()
            try:
                self._start_on(port, binary, folder)
            except Unavailable as error:
                # Between the choice of a port and its use somebody else may have taken it.
                if not tries_left or "in use" not in error.detail:
                    raise
            else:
                self._port = port
                return

    def _start_on(self, port: int, binary: Path, folder: DataFolder) -> None:
        home = folder.path / STORE_FOLDER
        home.mkdir(mode=0o700, exist_ok=True)
        with (home / LOG_FILE).open("ab") as log:
            self._process = start_tied(
                [str(binary), "--port", str(port), *SETTINGS], cwd=home, stdout=log.fileno(), pass_fds=(folder.lock,)
            )
        deadline = time.monotonic() + self._start_timeout_seconds
        while not _answers(port, self._process.pid):
            if self._process.poll() is not None:
                raise Unavailable(f"the embedded store ended with {self._process.returncode}: {_tail(home / LOG_FILE)}")
            if time.monotonic() > deadline:
                raise Unavailable(f"the embedded store does not answer: {_tail(home / LOG_FILE)}")
            time.sleep(_POLL_SECONDS)


def _answers(port: int, pid: int) -> bool:
    """Whether the server on that port is that process, and has read its data."""
    # Any: the client's own types are full of holes.
    client: Any = redis.Redis(LOOPBACK, port, socket_timeout=1, socket_connect_timeout=1, retry=Retry(NoBackoff(), 0))
    try:
        client.ping()
        return bool(client.info("server")["process_id"] == pid)
    except redis.RedisError:
        return False
    finally:
        client.close()


def _tail(log: Path) -> str:
    with log.open("rb") as file:
        file.seek(-min(4096, os.fstat(file.fileno()).st_size), os.SEEK_END)
        lines = file.read().decode(errors="replace").splitlines()
    return " | ".join(line.strip() for line in lines[-_TAIL_LINES:]) or "it wrote no log"
