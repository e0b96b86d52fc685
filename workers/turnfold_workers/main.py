"""Runs a worker, or the schedule, in this process until it is told to end."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from celery import signals

from turnfold import telemetry
from turnfold.errors import BadInput
from turnfold.jobs.broker import QUEUES
from turnfold.settings import Settings
from turnfold_workers.app import create_beat, create_celery
from turnfold_workers.celery_settings import DEFAULT_CONCURRENCY, POOLS, task_timeout_seconds
from turnfold_workers.keeping_store import check_store_keeps
from turnfold_workers.logs import is_outage, set_up_logging
from turnfold_workers.runtime import Runtime
from turnfold_workers.runtime_host import RuntimeHost
from turnfold_workers.tasks import register_tasks

if TYPE_CHECKING:
    from celery import Celery

MakeRuntime = Callable[[Settings], Runtime]


log = telemetry.logger(__name__)


def run_worker(
    settings: Settings,
    *,
    concurrency: int = DEFAULT_CONCURRENCY,
    queues: Sequence[str] = QUEUES,
    pool: str = "threads",
    make_runtime: MakeRuntime | None = None,
) -> int:
    """Works until SIGTERM, SIGINT or SIGHUP, ends what is running, and returns the exit code.

    Args:
        settings: which broker and store, and what the runtime reads.
        concurrency: how many jobs at a time.
        queues: which to serve; both unless one kind of work has workers of its own.
        pool: `threads`, or `prefork` for summarizers that need the processor more than they wait.
        make_runtime: the work behind the tasks, in place of turnfold's own.

    Raises:
        BadInput: this could not keep what a worker promises, or no broker can be made out.
    """
    _check(concurrency=concurrency, queues=queues, pool=pool)
    app = create_celery(settings, concurrency=concurrency)
    set_up_logging(settings.log_format)
    if make_runtime is None:
        check_store_keeps(settings)
    make = make_runtime or _own_runtime
    host = RuntimeHost(lambda: make(settings), task_timeout_seconds=task_timeout_seconds(settings))
    register_tasks(app, host)
    with ExitStack() as stack:
        stack.enter_context(_connected(signals.worker_ready, _on_ready))
        stack.enter_context(_connected(signals.worker_shutting_down, _on_stopping))
        stack.enter_context(
            _in_each_child(host) if pool == "prefork" else _in_this_process(host, settings.stop_seconds)
        )
        exit_code = _work(app, concurrency=concurrency, queues=queues, pool=pool)
    log.info(telemetry.WORKER_STOPPED, pid=os.getpid(), exit_code=exit_code)
    return exit_code


def run_beat(settings: Settings) -> int:
    """Sends sweeps by schedule until SIGTERM or SIGINT. Any number may run: one at a time is at work.

    Returns the exit code: 1 where the store was out of reach for longer than it was waited for. Whoever supervises it
    starts it again; workers look for lost jobs without it.

    Raises:
        BadInput: the schedule has nowhere to be kept.
    """
    if not settings.redis_url:
        raise BadInput("TURNFOLD_REDIS_URL", "is not set: the schedule is kept in the session store")
    app = create_beat(settings)
    set_up_logging(settings.log_format)
    log.info(telemetry.BEAT_STARTED, pid=os.getpid(), sweep_interval_seconds=settings.sweep_interval_seconds)
    try:
        app.Beat(quiet=True, loglevel="WARNING").run()
    except Exception as error:
        if not is_outage(error):
            raise
        log.error(telemetry.BEAT_STOPPED, pid=os.getpid(), error=type(error).__name__)
        return 1
    return 0


def _check(*, concurrency: int, queues: Sequence[str], pool: str) -> None:
    if concurrency < 1:
        raise BadInput("--concurrency", "is at least 1")
    if pool not in POOLS:
        raise BadInput("--pool", f"{pool!r} can't be relied on: it loses or delays jobs; use {' or '.join(POOLS)}")
    for queue in queues:
        if queue not in QUEUES:
            raise BadInput("--queues", f"{queue!r} is not one of {', '.join(QUEUES)}")
    if not queues:
        raise BadInput("--queues", "names no queue")


def _own_runtime(settings: Settings) -> Runtime:
    from turnfold_workers.worker_runtime import WorkerRuntime

    return WorkerRuntime(settings)


def _work(app: Celery, *, concurrency: int, queues: Sequence[str], pool: str) -> int:
    worker = app.Worker(
        hostname=f"turnfold-{os.getpid()}@%h",
        concurrency=concurrency,
        pool=pool,
        queues=[name for name in QUEUES if name in queues],  # live first, however they were asked for
        quiet=True,
        # Workers don't talk to one another: the store tells each what to do.
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    worker.start()
    return int(worker.exitcode or 0)


def _on_ready(**_: object) -> None:
    # Celery's own answer to a closed terminal is to start the worker anew; ours is to end it like any other process.
    signal.signal(signal.SIGHUP, signal.getsignal(signal.SIGTERM))
    log.info(telemetry.WORKER_READY, pid=os.getpid())


def _on_stopping(**_: object) -> None:
    log.info(telemetry.WORKER_STOPPING, pid=os.getpid())


@contextmanager
def _in_this_process(host: RuntimeHost, stop_seconds: float) -> Generator[None]:
    def on_stopping(**_: object) -> None:
        host.stop_polling()
        host.hand_back_after(stop_seconds)

    host.start()
    try:
        with _connected(signals.worker_shutting_down, on_stopping):
            yield
    finally:
        host.close()


@contextmanager
def _in_each_child(host: RuntimeHost) -> Generator[None]:
    """Threads and connections don't survive a fork: each child makes its own."""

    def on_child_start(**_: object) -> None:
        host.start()

    def on_child_end(**_: object) -> None:
        host.close()

    with (
        _connected(signals.worker_process_init, on_child_start),
        _connected(signals.worker_process_shutdown, on_child_end),
    ):
        yield


@contextmanager
def _connected(moment: Any, handler: Callable[..., None]) -> Generator[None]:
    moment.connect(handler, weak=False)
    try:
        yield
    finally:
        moment.disconnect(handler)
