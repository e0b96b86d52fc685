"""Celery settings of workers and beat, each with its reason. Most were found by killing workers and brokers."""

from __future__ import annotations

from typing import Any

from turnfold.jobs.broker import MAX_CONNECTIONS, SWEEP_QUEUE, SWEEP_TASK, shared_settings
from turnfold.sessions.keys import BEAT_PREFIX
from turnfold.sessions.redis_servers import is_several, servers_of
from turnfold.settings import Settings

POOLS = ("threads", "prefork")
DEFAULT_CONCURRENCY = 16
# Connections of a worker besides those of its task threads: the consumer, its timers, and some to spare.
SPARE_CONNECTIONS = 16


def worker_settings(broker_url: str, *, concurrency: int = DEFAULT_CONCURRENCY) -> dict[str, Any]:
    """What a worker is told, over what it shares with the producer."""
    shared = shared_settings(broker_url)
    if "max_connections" in shared["broker_transport_options"]:
        # A thread that acknowledges when all connections are taken would fail, and its message come again.
        most = max(MAX_CONNECTIONS, concurrency + SPARE_CONNECTIONS)
        shared["broker_transport_options"]["max_connections"] = most
    return shared | _delivery() | _connection() | _process(concurrency)


def _delivery() -> dict[str, Any]:
    return {
        # A worker takes what it can run now; the rest stays for others, and live jobs don't wait behind sweeps.
        "worker_prefetch_multiplier": 1,
        # Acknowledged when done: a killed worker's messages come back.
        "task_acks_late": True,
        # … a killed child's of the prefork pool, too; without this they are always lost.
        "task_reject_on_worker_lost": True,
        # A job runs on when the broker is gone for a moment: its lease keeps others away.
        "worker_cancel_long_running_tasks_on_connection_loss": False,
        # With quorum queues RabbitMQ wants a prefetch count for each consumer, which this finds out.
        "worker_detect_quorum_queues": True,
        # … and then it would make 28 queues for delayed messages, which nobody sends.
        "worker_consumer": "turnfold_workers.consumer:PlainConsumer",
    }


def _connection() -> dict[str, Any]:
    return {
        # With it, a restart of Redis kills the whole worker if a task ends meanwhile (celery 5.7).
        "worker_enable_remote_control": False,
        # With it, a worker on classic RabbitMQ queues stalls, alive, after the broker's restart.
        "worker_enable_prefetch_count_reduction": False,
        # For ever: a worker that gives up on a broker under maintenance would need someone to start it again.
        "broker_connection_max_retries": None,
        # … from its start on,
        "broker_connection_retry_on_startup": True,
        # … and when only the channel has failed.
        "broker_channel_error_retry": True,
    }


def _process(concurrency: int) -> dict[str, Any]:
    return {
        # Waiting for a model needs no processes: 0.9 ms of CPU a task, and a tenth of prefork's memory.
        "worker_pool": "threads",
        "worker_concurrency": concurrency,
        # SIGTERM waits for running tasks. Ctrl-C twice, or SIGQUIT, gives them this long.
        "worker_soft_shutdown_timeout": 10,
        # Logs are the application's to arrange, and standard output is nobody's log.
        "worker_hijack_root_logger": False,
        "worker_redirect_stdouts": False,
        # A prefork child opens the runtime before it reports for work.
        "worker_proc_alive_timeout": 30,
    }


def beat_settings(settings: Settings, broker_url: str) -> dict[str, Any]:
    """The schedule, kept in the store so that any number of beats may run and one at a time does.

    A lock that is lost goes unnoticed for a moment, so that two may send: a sweep is safe to run twice.
    """
    return worker_settings(broker_url) | {
        "beat_schedule": {
            SWEEP_TASK: {
                "task": SWEEP_TASK,
                "schedule": settings.sweep_interval_seconds,
                "options": {"queue": SWEEP_QUEUE},
            }
        },
        # There are no results to expire; otherwise Celery schedules a task that clears them away.
        "result_expires": None,
        "beat_scheduler": "redbeat.RedBeatScheduler",
        # By default another beat takes over after 25 minutes.
        "beat_max_loop_interval": 5,
        "redbeat_lock_timeout": 30,
        "redbeat_key_prefix": BEAT_PREFIX,
        **_schedule_store(settings.redis_url or ""),
    }


def _schedule_store(redis_url: str) -> dict[str, Any]:
    """Where redbeat keeps the schedule, in its words: beside the sessions."""
    # Without a limit a store that hangs would hold the beat for ever.
    limits: dict[str, Any] = {"socket_timeout": 5, "socket_connect_timeout": 1, "retry_period": 30}
    if not is_several(redis_url):
        return {"redbeat_redis_url": redis_url or None, "redbeat_redis_options": limits}
    servers = servers_of(redis_url)
    user = {"username": servers.username, "password": servers.password}
    if servers.kind == "cluster":
        (host, port), *_ = servers.hosts
        url = f"{'rediss' if servers.tls else 'redis'}://{host}:{port}"
        return {"redbeat_redis_url": url, "redbeat_redis_options": limits | user | {"cluster": True}}
    named = {"sentinels": list(servers.hosts), "service_name": servers.service, "db": servers.database}
    return {"redbeat_redis_url": "redis-sentinel://", "redbeat_redis_options": limits | user | named}


def task_timeout_seconds(settings: Settings) -> float:
    """How long a task may run: eight calls of the model, as for parts, their merge, and each once more."""
    return 8 * settings.summary_timeout_seconds
