"""Store, API, worker and schedule, running while a `with` block runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from turnfold import telemetry
from turnfold.embedded import EmbeddedServer
from turnfold.errors import BadInput
from turnfold.processes import free_port, port_is_free
from turnfold.processes.ports import LOOPBACK
from turnfold.supervisor.child import Child, ChildSpec
from turnfold.supervisor.log_lines import LogLines
from turnfold.supervisor.readiness import wait_until_ready
from turnfold.supervisor.supervisor import Supervisor

REDIS_URL = "TURNFOLD_REDIS_URL"
BROKER_URL = "TURNFOLD_BROKER_URL"
STANDARD_ERROR = 2
# -P: what lies in the folder where the user happens to stand is not for import.
TURNFOLD = (sys.executable, "-P", "-m", "turnfold")


@dataclass(frozen=True)
class System:
    """Where the running system is.

    Attributes:
        base_url: the API and the dashboard, without a slash at the end.
        redis_url: the store.
        broker_url: Celery's broker; None: follows from the store's address.
    """

    base_url: str
    redis_url: str
    broker_url: str | None


def parts_of_turnfold(port: int) -> list[ChildSpec]:
    """The processes of a complete turnfold beside the store; the API listens on the port."""
    return [
        ChildSpec("api", (*TURNFOLD, "api", "--port", str(port)), telemetry.API_READY),
        ChildSpec("worker", (*TURNFOLD, "worker"), telemetry.WORKER_READY),
        ChildSpec("beat", (*TURNFOLD, "beat"), telemetry.BEAT_STARTED),
    ]


@contextmanager
def running_system(
    data: Path | None = None,
    *,
    port: int = 0,
    env: Mapping[str, str] | None = None,
    log_to: int = STANDARD_ERROR,
    parts: Callable[[int], list[ChildSpec]] = parts_of_turnfold,
) -> Generator[System]:
    """Starts everything, yields when it is ready, and ends everything afterwards, whatever happens in the block.

    The store is embedded unless `TURNFOLD_REDIS_URL` is set, in `env` or in this process's environment.

    Args:
        data: the embedded store's folder; a temporary one if not given.
        port: of the API; 0: a free one.
        env: variables for the children beside, and before, this process's own.
        log_to: descriptor for the children's log lines.
        parts: the children that make up the system, given the API's port.

    Raises:
        BadInput: the port is taken; the folder can't be used; there is no store for this machine.
        Unavailable: something does not start.
    """
    _check_platform()
    chosen_port = _usable(port)
    environment = {"PYTHONUNBUFFERED": "1", **os.environ, **(env or {})}
    with ExitStack() as stack:
        log = stack.enter_context(LogLines(log_to))
        if not environment.get(REDIS_URL):
            store = stack.enter_context(EmbeddedServer(data))
            stack.enter_context(Supervisor([store], say=log.say))
            environment[REDIS_URL] = store.redis_url
            environment[BROKER_URL] = environment.get(BROKER_URL) or store.broker_url
        children = [Child(spec, env=environment, say=log.say) for spec in parts(chosen_port)]
        supervisor = stack.enter_context(Supervisor(children, say=log.say))
        wait_until_ready(chosen_port, supervisor)
        yield System(f"http://{LOOPBACK}:{chosen_port}", environment[REDIS_URL], environment.get(BROKER_URL) or None)


def _usable(port: int) -> int:
    try:
        if port == 0:
            return free_port()
        free = port_is_free(port)
    except OSError as error:
        raise BadInput("--port", f"{port} can't be used: {error.strerror}") from None
    if not free:
        raise BadInput("--port", f"{port} is taken; give another one, or 0 for any that is free")
    return port


def _check_platform() -> None:
    if os.name != "posix":
        raise BadInput("up", "runs on Linux and macOS; elsewhere use the containers, or run api, worker and beat apart")
