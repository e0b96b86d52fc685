"""The Celery tasks. They carry ids in and nothing out: the work is the runtime's, and the store keeps its results."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from turnfold import telemetry
from turnfold.jobs.broker import SUMMARIZE_TASK, SWEEP_TASK

if TYPE_CHECKING:
    from celery import Celery

    from turnfold_workers.runtime_host import RuntimeHost


log = telemetry.logger(__name__)


def register_tasks(app: Celery, host: RuntimeHost) -> None:
    """Gives the application its two tasks, which run on this host."""

    @app.task(name=SUMMARIZE_TASK, shared=False)
    def summarize(job_id: str) -> None:
        _survive(lambda: host.run_job(job_id), telemetry.SUMMARIZE_FAILED, job_id=job_id)

    @app.task(name=SWEEP_TASK, shared=False)
    def sweep() -> None:
        _survive(host.sweep, telemetry.SWEEP_FAILED)


def _survive(work: Callable[[], None], event: str, **ids: str) -> None:
    """The message is acknowledged whatever happens: when and whether to try again is written in the store."""
    try:
        work()
    except Exception as error:  # noqa: BLE001 - see above
        log.error(event, error=type(error).__name__, at=_place(error), **ids)


def _place(error: Exception) -> str | None:
    """The file and line where it was raised: an error's own words may quote a conversation, and stay out of the log."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else None
