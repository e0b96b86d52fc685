"""A RabbitMQ node of a test's own, on loopback, with its own folder, cookie, ports and name registry."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import Self

from tests.support.waiting import wait_until
from turnfold.processes import free_port, start_tied

LOOPBACK = "127.0.0.1"
START_SECONDS = 60.0
STOP_SECONDS = 20.0
# The command on Debian's PATH changes user and folder; this one is the server itself.
DEBIAN_SCRIPT = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")


class RabbitMQServer:
    """A context manager, as `EmbeddedServer` is: ended and started again it has the same port and data."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="turnfold-rabbitmq-"))
        self._port = free_port()
        self._distribution_port = free_port()
        self._registry_port = free_port()
        self._registry: subprocess.Popen[bytes] | None = None
        self._node: subprocess.Popen[bytes] | None = None

    @property
    def broker_url(self) -> str:
        return f"amqp://guest:guest@{LOOPBACK}:{self._port}//"

    def start(self) -> None:
        with (self._folder / "log").open("ab") as log:
            if self._registry is None:
                # Started here and not by the node, so that it ends with the test.
                command = ["epmd", "-port", str(self._registry_port), "-address", LOOPBACK]
                self._registry = start_tied(command, stdout=log.fileno())
            self._node = start_tied([_script()], env=os.environ | self._environment(), stdout=log.fileno())
        wait_until(self._answers, description=f"RabbitMQ answers; see {self._folder}", timeout_seconds=START_SECONDS)

    def terminate(self) -> None:
        """Asks the node to end.

        Not `kill`: a quorum queue whose node is killed within seconds of the queue's making finds no leader again.
        """
        if self._node:
            self._node.terminate()

    def queues(self) -> dict[str, str]:
        """Each queue's type by its name."""
        command = [str(Path(_script()).with_name("rabbitmqctl")), "--silent", "list_queues", "name", "type"]
        listed = subprocess.run(
            command, env=os.environ | self._environment(), check=True, capture_output=True, text=True
        ).stdout
        return {name: kind for name, kind in (line.split() for line in listed.splitlines()) if name != "name"}

    def wait(self) -> None:
        if self._node:
            self._node.wait(STOP_SECONDS)

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def _stop(self) -> None:
        for process in (self._node, self._registry):
            if process:
                process.kill()
                process.wait(STOP_SECONDS)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _answers(self) -> bool:
        """Whether it speaks AMQP: the port is open a moment earlier."""
        assert self._node is not None
        assert self._node.poll() is None, (self._folder / "log").read_text()[-3000:]
        try:
            with socket.create_connection((LOOPBACK, self._port), timeout=1) as connection:
                connection.sendall(b"AMQP\x00\x00\x09\x01")
                return len(connection.recv(1)) == 1
        except OSError:
            return False

    def _environment(self) -> dict[str, str]:
        folder = str(self._folder)
        return {
            "HOME": folder,  # the Erlang cookie is made here
            "RABBITMQ_NODENAME": f"turnfold-{self._port}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": LOOPBACK,
            "RABBITMQ_NODE_PORT": str(self._port),
            "RABBITMQ_DIST_PORT": str(self._distribution_port),
            "RABBITMQ_MNESIA_BASE": f"{folder}/data",
            "RABBITMQ_LOGS": "-",
            "RABBITMQ_CONFIG_FILE": f"{folder}/rabbitmq",
            "RABBITMQ_CONF_ENV_FILE": f"{folder}/rabbitmq-env.conf",
            "RABBITMQ_ENABLED_PLUGINS_FILE": f"{folder}/enabled_plugins",
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}",
            "ERL_EPMD_PORT": str(self._registry_port),
            "ERL_EPMD_ADDRESS": LOOPBACK,
            # Makes the script become the server, so that its process id is the server's.
            "RUNNING_UNDER_SYSTEMD": "true",
        }


def _script() -> str:
    return str(DEBIAN_SCRIPT) if DEBIAN_SCRIPT.exists() else shutil.which("rabbitmq-server") or "rabbitmq-server"
