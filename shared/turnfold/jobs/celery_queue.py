"""Sends job ids to Celery workers by the task's name, without importing a worker."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from turnfold import telemetry
from turnfold.errors import Unavailable
from turnfold.jobs.broker import LIVE_QUEUE, SUMMARIZE_TASK, SWEEP_QUEUE, shared_settings
from turnfold.jobs.broker_url import is_amqp, is_redis
from turnfold.jobs.queue import JobQueue
from turnfold.jobs.send_pause import SendPause

if TYPE_CHECKING:
    from celery import Celery


# A send takes about a millisecond: two threads carry more than a broker does.
THREADS = 2
MAX_WAITING_SENDS = 256

log = telemetry.logger(__name__)


class CeleryQueue(JobQueue):
    """Costs a request a millisecond, under 5 ms if the broker refuses, and at most the deadline if it hangs.

    Sends run in threads of their own, off the event loop. After a failure a pause follows in which sends are refused
    at once; the job is in the store, and the next look of a worker finds it.

    Args:
        broker_url: as `chosen_broker_url` gives it.
        deadline_seconds: how long a caller waits at most.
        pause_seconds: how long the broker is left alone after a failure.
    """

    def __init__(self, broker_url: str, *, deadline_seconds: float = 1.0, pause_seconds: float = 1.0) -> None:
        self._deadline_seconds = deadline_seconds
        self._app = producer_app(broker_url, timeout_seconds=deadline_seconds)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="turnfold-send")
        self._slots = threading.BoundedSemaphore(MAX_WAITING_SENDS)
        self._pause = SendPause(pause_seconds)
        self._closed = False

    async def send(self, job_id: str, *, live: bool = True) -> bool:
        if self._closed or not self._pause.allows():
            return _skipped(job_id, "closed" if self._closed else "paused")
        if not self._slots.acquire(blocking=False):
            return _skipped(job_id, "too many sends are waiting")
        try:
            await asyncio.wait_for(self._in_thread(job_id, LIVE_QUEUE if live else SWEEP_QUEUE), self._deadline_seconds)
        except Exception as error:  # noqa: BLE001 - whatever a broker's client raises, the job is safe in the store
            self._pause.failed()
            log.warning(telemetry.SEND_FAILED, job_id=job_id, reason=type(error).__name__)
            return False
        self._pause.succeeded()
        return True

    async def ping(self) -> None:
        try:
            await asyncio.to_thread(self._connect)
        except Exception as error:
            raise Unavailable(f"{type(error).__name__}: {error}") from error

    async def close(self) -> None:
        self._closed = True
        await asyncio.to_thread(self._close)

    def _in_thread(self, job_id: str, queue: str) -> asyncio.Future[None]:
        future = self._threads.submit(self._publish, job_id, queue)
        # The place is free when the thread is, not when the caller has stopped waiting: hung sends can't pile up.
        future.add_done_callback(lambda _: self._slots.release())
        return asyncio.wrap_future(future)

    def _publish(self, job_id: str, queue: str) -> None:
        self._app.send_task(SUMMARIZE_TASK, args=[job_id], queue=queue, confirm_timeout=self._deadline_seconds)

    def _connect(self) -> None:
        with self._app.connection_for_write() as connection:
            _ = connection.default_channel

    def _close(self) -> None:
        self._threads.shutdown(cancel_futures=True)
        self._app.close()


def producer_app(broker_url: str, *, timeout_seconds: float) -> Celery:
    """A Celery application that only sends; nothing is connected yet."""
    from celery import Celery  # half a second, only for those who send

    app = Celery("turnfold-producer", set_as_current=False, fixups=[], loader="celery.loaders.app:AppLoader")
    app.conf.update(producer_settings(broker_url, timeout_seconds=timeout_seconds))
    # Loads the transport's modules now, not within the first send's deadline.
    _ = app.connection_for_write().transport
    return app


def producer_settings(broker_url: str, *, timeout_seconds: float) -> dict[str, Any]:
    """A send that can't succeed gives up by itself: by default Celery would try for ever, and block its thread."""
    settings = shared_settings(broker_url)
    settings["broker_transport_options"] |= _time_limits(broker_url, timeout_seconds)
    return settings | {
        "broker_connection_timeout": timeout_seconds,
        # `retry=False` is not enough: the connection would still be tried again and again. A connection that RabbitMQ
        # has closed since is noticed only in use, so there one more try, at once, on a new one.
        "task_publish_retry_policy": {
            "max_retries": 1 if is_amqp(broker_url) else 0,
            "interval_start": 0,
            "interval_step": 0,
        },
        "broker_pool_limit": THREADS,
    }


def _time_limits(broker_url: str, seconds: float) -> dict[str, Any]:
    if is_amqp(broker_url):
        return {"read_timeout": seconds, "write_timeout": seconds}
    if is_redis(broker_url):
        return {"socket_timeout": seconds, "socket_connect_timeout": seconds}
    return {}


def _skipped(job_id: str, reason: str) -> bool:
    # Not a warning: while a broker is out there is one for each request, and the failure itself has been told.
    log.debug(telemetry.SEND_SKIPPED, job_id=job_id, reason=reason)
    return False
