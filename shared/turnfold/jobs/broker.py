"""What producer and worker must agree on: the names of queues and tasks, and how the broker is spoken to.

Plain data, so that a process that only sends needs no worker, and one that does neither needs no Celery.
"""

from __future__ import annotations

from typing import Any

from turnfold.jobs.broker_url import is_amqp, is_redis

LIVE_QUEUE = "turnfold.live"
"""Jobs of sessions whose user is about to speak."""
SWEEP_QUEUE = "turnfold.sweep"
"""Everything that nobody waits for."""
# In the order in which workers serve them, on Redis; RabbitMQ serves all in turn, see `--queues`.
QUEUES = (LIVE_QUEUE, SWEEP_QUEUE)

SUMMARIZE_TASK = "turnfold.summarize"
"""Arguments: the job's id."""
SWEEP_TASK = "turnfold.sweep"
"""No arguments."""

KEY_PREFIX = "turnfold:"
"""Before each key in a Redis broker: other applications may use the same database."""
VISIBILITY_TIMEOUT_SECONDS = 120
MAX_CONNECTIONS = 64


def shared_settings(broker_url: str) -> dict[str, Any]:
    """Celery settings that are the same on both sides."""
    return {
        # Read and write, too: they go before the variable CELERY_BROKER_URL, which may be another application's.
        "broker_url": broker_url,
        "broker_read_url": broker_url,
        "broker_write_url": broker_url,
        "broker_transport_options": transport_options(broker_url),
        # Direct queues by name: RabbitMQ's default exchange reaches them, and nothing has to be bound.
        "task_queues": {name: _queue(broker_url) | {"routing_key": name} for name in QUEUES},
        "task_default_queue": LIVE_QUEUE,
        "task_default_exchange": "",
        "task_default_exchange_type": "direct",
        # A misspelt name is an error, not a new queue that nobody reads.
        "task_create_missing_queues": False,
        # Ids in JSON: nothing that a broker could make a worker execute.
        "task_serializer": "json",
        "accept_content": ["json"],
        # The store has the results.
        "task_ignore_result": True,
        "result_backend": None,
    }


def transport_options(broker_url: str) -> dict[str, Any]:
    """How kombu speaks to this kind of broker."""
    if is_amqp(broker_url):
        # A send counts once the broker has confirmed it; without this it counts once it is in the socket's buffer.
        return {"confirm_publish": True}
    if is_redis(broker_url):
        return _redis_options()
    return {"polling_interval": 0.01}  # memory://, where the default makes a task take seconds


def _redis_options() -> dict[str, Any]:
    return {
        # A message of a worker that died comes back after this; the store's leases find its job long before.
        "visibility_timeout": VISIBILITY_TIMEOUT_SECONDS,
        # Looked for each 5 s, one message at a time: with the defaults 30 s of time-out became 98.
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
        # Longer than the longest blocking read (1 s), short enough to notice a server that is gone.
        "socket_timeout": 5,
        "socket_connect_timeout": 1,
        "socket_keepalive": True,
        "health_check_interval": 15,
        # The default of 10 is fewer than the threads of a worker, which acknowledge each on a connection.
        "max_connections": MAX_CONNECTIONS,
        # In the order of QUEUES; the default takes from each in turn.
        "queue_order_strategy": "priority",
        "global_keyprefix": KEY_PREFIX,
    }


def _queue(broker_url: str) -> dict[str, Any]:
    if is_amqp(broker_url):
        # Quorum: survives the loss of a node, and its consumers come back after the broker's restart.
        return {"exchange": "", "exchange_type": "direct", "queue_arguments": {"x-queue-type": "quorum"}}
    return {"exchange": "", "exchange_type": "direct"}
