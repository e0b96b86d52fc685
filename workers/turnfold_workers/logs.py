"""Logs of workers and beat: the system's own, and not Celery's arrangement of them."""

from __future__ import annotations

import logging
from typing import Literal

from celery.signals import setup_logging

from turnfold import logs


def set_up_logging(log_format: Literal["json", "text"]) -> None:
    """Sends all records to standard error, in one form."""
    logs.set_up_logging(log_format)
    logging.captureWarnings(capture=True)
    logging.getLogger("py.warnings").addFilter(_is_news)
    setup_logging.connect(_keep, weak=False)


def _is_news(record: logging.LogRecord) -> bool:
    """Not Celery's word, at each loss of a connection, about a setting that is what it is on purpose."""
    return "CPendingDeprecationWarning" not in record.getMessage()


def _keep(**_: object) -> None:
    """Celery arranges logs itself unless somebody listens to this signal."""
