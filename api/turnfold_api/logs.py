"""Logs of the API: one line an event, with a stable name and ids, and no message's text."""

from __future__ import annotations

import logging
import sys
from typing import Any, Literal

import structlog

# What these have to say below a warning is said by our own events, or is of no use to an operator.
QUIET = ("uvicorn", "uvicorn.error", "asyncio", "redis", "celery", "kombu", "amqp")


def set_up_logging(log_format: Literal["json", "text"]) -> None:
    """Sends structlog's and the standard library's records to standard error, in one form."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    wrap = structlog.stdlib.ProcessorFormatter.wrap_for_formatter
    structlog.configure(
        processors=[structlog.stdlib.filter_by_level, *shared, wrap],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    _handle_all(structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processors=_last_steps(log_format)))


def _last_steps(log_format: Literal["json", "text"]) -> list[Any]:
    remove_meta = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    if log_format == "json":
        return [remove_meta, structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    # Plain: the default formatter prints the local variables of each frame, and messages are among them.
    plain = structlog.dev.plain_traceback
    return [remove_meta, structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=plain)]


def _handle_all(formatter: logging.Formatter) -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.INFO)
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
