"""The broker: whether it takes messages, and keeps them."""

from __future__ import annotations

from urllib.parse import urlsplit

from turnfold.doctor.check import Check, place_of
from turnfold.doctor.store_check import memory_policy
from turnfold.errors import BadInput, Unavailable
from turnfold.jobs.broker_url import chosen_broker_url
from turnfold.settings import Settings
from turnfold.wiring import build_connection, build_queue

BROKER = "broker"


async def broker_checks(settings: Settings) -> list[Check]:
    """The broker; and its memory policy, where it is another Redis than the store."""
    try:
        url = chosen_broker_url(settings.broker_url, redis_url=settings.redis_url)
        queue = build_queue(settings)
    except BadInput as error:
        return [Check(BROKER, error.detail, "set TURNFOLD_BROKER_URL, or TURNFOLD_REDIS_URL for both")]
    except ModuleNotFoundError as error:
        return [Check(BROKER, f"{error.name} is not installed", "pip install 'turnfold[celery]'")]
    try:
        await queue.ping()
    except Unavailable as error:
        mend = "see that the server of TURNFOLD_BROKER_URL runs; until it does, workers find jobs within seconds"
        return [Check(BROKER, f"{place_of(url)} takes no message: {error.detail}", mend)]
    finally:
        await queue.close()
    return [Check(BROKER, f"{place_of(url)} takes messages"), *await _memory_policy(url, settings.redis_url)]


async def _memory_policy(url: str, store_url: str | None) -> list[Check]:
    parts = urlsplit(url)
    if parts.scheme not in ("redis", "rediss") or parts.netloc == urlsplit(store_url or "").netloc:
        return []
    connection = build_connection(url)
    try:
        return [memory_policy(await connection.health(), " (broker)")]
    finally:
        await connection.close()
