"""Logs of the API, of workers and of the schedule: one line an event, with a stable name and ids, no message's text."""

from __future__ import annotations

import logging
import sys
from typing import Any, Literal

import structlog

# What these have to say below a warning is said by our own events, or is of no use to an operator.
QUIET = ("amqp", "asyncio", "celery", "httpx2", "kombu", "openai", "redis", "uvicorn", "uvicorn.error")


def set_up_logging(log_format: Literal["json", "text"]) -> None:
    """Sends all records to standard error, in one form."""
    chain: list[Any] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    handler = logging.StreamHandler()
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(foreign_pre_chain=chain, processors=_last(log_format)))
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.INFO)
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)


def _last(log_format: Literal["json", "text"]) -> list[Any]:
    remove_meta = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    if log_format == "json":
        return [remove_meta, structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    # Plain: the default one prints the local variables of each frame, and messages are among them.
    plain = structlog.dev.plain_traceback
    return [remove_meta, structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=plain)]
