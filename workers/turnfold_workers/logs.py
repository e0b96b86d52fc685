"""Logs of workers and beat: one line an event, with a stable name and ids, and no message's text."""

from __future__ import annotations

import logging
import sys
from typing import Any, Literal

import structlog
from celery.signals import setup_logging

# What these have to say below a warning is said by our own events, or is of no use to an operator.
QUIET = ("celery", "kombu", "amqp", "redis", "httpx2", "openai")


def set_up_logging(log_format: Literal["json", "text"]) -> None:
    """Sends structlog's and the standard library's records to standard error, in one form."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    _handle_all(structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processors=_last_steps(log_format)))
    logging.captureWarnings(capture=True)
    logging.getLogger("py.warnings").addFilter(_is_news)
    setup_logging.connect(_keep, weak=False)


def _last_steps(log_format: Literal["json", "text"]) -> list[Any]:
    remove_meta = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    if log_format == "json":
        return [remove_meta, structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    return [remove_meta, structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())]


def _handle_all(formatter: logging.Formatter) -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.INFO)
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)


def _is_news(record: logging.LogRecord) -> bool:
    """Not Celery's word, at each loss of a connection, about a setting that is what it is on purpose."""
    return "CPendingDeprecationWarning" not in record.getMessage()


def _keep(**_: object) -> None:
    """Celery arranges logs itself unless somebody listens to this signal."""
