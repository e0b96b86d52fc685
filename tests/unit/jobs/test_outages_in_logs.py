"""A server that is away is told in one line, whoever tells it; a fault of the code keeps its traceback."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator

import kombu.exceptions
import pytest
import redis.exceptions
from celery.signals import setup_logging

from turnfold_workers.logs import set_up_logging


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    before = root.handlers, root.level
    receivers = list(setup_logging.receivers)
    set_up_logging("text")
    written = io.StringIO()
    (handler,) = root.handlers
    assert isinstance(handler, logging.StreamHandler)
    handler.setStream(written)
    yield written
    logging.captureWarnings(capture=False)
    setup_logging.receivers = receivers
    root.handlers, root.level = before[0], before[1]


def tell(name: str, error: Exception) -> None:
    try:
        raise error
    except type(error):
        logging.getLogger(name).exception("Scheduler: Message Error: %s\n%s", error, "File over, and over, again")


@pytest.mark.parametrize("name", ["celery.beat", "redbeat.schedulers", "kombu.connection", "celery.worker.consumer"])
@pytest.mark.parametrize(
    "error",
    [
        redis.exceptions.ConnectionError("refused"),
        redis.exceptions.BusyLoadingError("loading"),
        kombu.exceptions.OperationalError("refused"),
        ConnectionRefusedError("refused"),
        TimeoutError("slow"),
    ],
    ids=lambda error: f"{type(error).__module__}.{type(error).__name__}",
)
def test_an_outage_is_one_line(log: io.StringIO, name: str, error: Exception) -> None:
    tell(name, error)

    (line,) = log.getvalue().splitlines()
    assert str(error) in line
    assert type(error).__name__ in line


@pytest.mark.parametrize(("name", "error"), [("celery.beat", ValueError("bug")), ("mine", ConnectionError("mine"))])
def test_everything_else_keeps_its_traceback(log: io.StringIO, name: str, error: Exception) -> None:
    tell(name, error)

    assert "Traceback" in log.getvalue()
