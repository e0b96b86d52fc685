"""Makes the Celery application. Nothing is made at import: settings are read at the edge."""

from __future__ import annotations

from typing import Any

from celery import Celery

from turnfold.jobs.broker_url import chosen_broker_url
from turnfold.sessions.redis_address import checked_address
from turnfold.settings import Settings
from turnfold_workers.celery_settings import DEFAULT_CONCURRENCY, beat_settings, worker_settings


def create_celery(settings: Settings, *, concurrency: int = DEFAULT_CONCURRENCY) -> Celery:
    """The application of a worker, without its tasks: `register_tasks` adds them.

    Raises:
        BadInput: no broker can be made out from the settings.
    """
    return _celery(worker_settings(_broker_url(settings), concurrency=concurrency))


def create_beat(settings: Settings) -> Celery:
    """The application that sends by schedule.

    Raises:
        BadInput: no broker can be made out from the settings, or the store's address is not one.
    """
    if settings.redis_url:
        checked_address(settings.redis_url)
    return _celery(beat_settings(settings, _broker_url(settings)))


def _celery(celery_settings: dict[str, Any]) -> Celery:
    # No fixups, and a loader by name: variables meant for another application (Django's, Celery's) don't change this.
    app = Celery("turnfold", fixups=[], loader="celery.loaders.app:AppLoader")
    app.conf.update(celery_settings)
    return app


def _broker_url(settings: Settings) -> str:
    return chosen_broker_url(settings.broker_url, redis_url=settings.redis_url)
