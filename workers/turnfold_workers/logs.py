"""Logs of workers and beat: the system's own, and not Celery's arrangement of them."""

from __future__ import annotations

import logging
from typing import Literal

from celery.signals import setup_logging

from turnfold import logs

# Who speaks of an outage with a traceback,
CLIENTS = ("amqp", "celery", "kombu", "redbeat", "redis")
# and whose errors those are.
SERVERS = ("amqp", "kombu", "redis")
OUTAGES = ("ConnectionError", "TimeoutError", "OperationalError", "RecoverableConnectionError", "BusyLoadingError")


def set_up_logging(log_format: Literal["json", "text"]) -> None:
    """Sends all records to standard error, in one form."""
    logs.set_up_logging(log_format)
    for handler in logging.getLogger().handlers:
        handler.addFilter(_told_in_one_line)
    logging.captureWarnings(capture=True)
    logging.getLogger("py.warnings").addFilter(_is_news)
    setup_logging.connect(_keep, weak=False)


def _is_news(record: logging.LogRecord) -> bool:
    """Not Celery's word, at each loss of a connection, about a setting that is what it is on purpose."""
    return "CPendingDeprecationWarning" not in record.getMessage()


def _told_in_one_line(record: logging.LogRecord) -> bool:
    """A server that is away for a moment is no fault of the code: what is said of it needs no traceback."""
    error = record.exc_info[1] if record.exc_info else None
    if error is not None and is_outage(error) and record.name.partition(".")[0] in CLIENTS:
        # Its own words may hold the traceback, too.
        record.msg, record.args = f"{record.getMessage().splitlines()[0]} ({type(error).__name__})", ()
        record.exc_info = record.exc_text = None
    return True


def is_outage(error: BaseException) -> bool:
    """Whether it says that a server is out of reach, in the words of any of the clients."""
    kinds = type(error).__mro__
    return any(kind is OSError or (kind.__module__.startswith(SERVERS) and kind.__name__ in OUTAGES) for kind in kinds)


def _keep(**_: object) -> None:
    """Celery arranges logs itself unless somebody listens to this signal."""
