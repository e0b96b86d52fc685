"""Waits until the system answers."""

from __future__ import annotations

import http.client
import time

from turnfold.errors import Unavailable
from turnfold.processes.ports import LOOPBACK
from turnfold.supervisor.supervisor import Supervisor

READY_PATH = "/readyz"
READY_TIMEOUT_SECONDS = 60.0
# A part that has died this often before the system was ready won't do better the next time.
HOPELESS_DEATHS = 3
_POLL_SECONDS = 0.05
_ANSWER_TIMEOUT_SECONDS = 5.0


def _what_is_missing(port: int, status: int | None, supervisor: Supervisor) -> str:
    if status == http.client.OK:
        return f"{', '.join(supervisor.waits_for())} did not say that it works"
    return f"http://{LOOPBACK}:{port}{READY_PATH} " + (f"answers {status}" if status else "does not answer")


def wait_until_ready(port: int, supervisor: Supervisor, *, timeout_seconds: float = READY_TIMEOUT_SECONDS) -> None:
    """
    Raises:
        Unavailable: a part can't be kept running, or the time is up.
    """
    deadline = time.monotonic() + timeout_seconds
    while (status := _ready_status(port)) != http.client.OK or supervisor.waits_for():
        for name, deaths in supervisor.deaths().items():
            if deaths >= HOPELESS_DEATHS:
                raise Unavailable(f"{name} ends as soon as it is started; its log lines say why")
        if time.monotonic() > deadline:
            raise Unavailable(f"not ready within {timeout_seconds:g} s: {_what_is_missing(port, status, supervisor)}")
        time.sleep(_POLL_SECONDS)


def _ready_status(port: int) -> int | None:
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=_ANSWER_TIMEOUT_SECONDS)
    try:
        connection.request("GET", READY_PATH)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()
