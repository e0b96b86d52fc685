"""What Celery is told. Each of these was found by breaking something; none may be lost by accident."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from turnfold.errors import BadInput
from turnfold.jobs.broker import LIVE_QUEUE, QUEUES, SUMMARIZE_TASK, SWEEP_QUEUE, SWEEP_TASK
from turnfold.jobs.celery_queue import producer_settings
from turnfold.settings import Settings
from turnfold_workers.app import create_beat, create_celery
from turnfold_workers.celery_settings import task_timeout_seconds
from turnfold_workers.main import run_beat, run_worker

REDIS = "redis://127.0.0.1:6379/1"
AMQP = "amqp://guest@127.0.0.1//"

# What keeps jobs from getting lost, and workers from dying with their broker.
DURABLE = {
    "worker_pool": "threads",
    "worker_prefetch_multiplier": 1,
    "task_acks_late": True,
    "task_reject_on_worker_lost": True,
    "task_ignore_result": True,
    "result_backend": None,
    "worker_enable_remote_control": False,
    "worker_enable_prefetch_count_reduction": False,
    "broker_connection_max_retries": None,
    "broker_connection_retry_on_startup": True,
    "broker_channel_error_retry": True,
    "worker_soft_shutdown_timeout": 10,
    "worker_hijack_root_logger": False,
    "worker_redirect_stdouts": False,
    "task_create_missing_queues": False,
    "task_serializer": "json",
    "accept_content": ["json"],
}
REDIS_TRANSPORT = {
    "visibility_timeout": 120,
    "unacked_restore_interval": 5,
    "unacked_restore_throttle": 1,
    "socket_timeout": 5,
    "socket_connect_timeout": 1,
    "socket_keepalive": True,
    "health_check_interval": 15,
    "max_connections": 64,
    "queue_order_strategy": "priority",
    "global_keyprefix": "turnfold:",
}


def _worker(broker_url: str, **more: Any) -> Any:
    return create_celery(Settings(broker_url=broker_url), **more).conf


@pytest.mark.parametrize("broker_url", [REDIS, AMQP])
def test_a_worker_is_told_everything_that_keeps_jobs(broker_url: str) -> None:
    conf = _worker(broker_url)

    assert {name: conf[name] for name in DURABLE} == DURABLE


def test_a_worker_on_redis_gets_the_measured_transport_options() -> None:
    assert _worker(REDIS).broker_transport_options == REDIS_TRANSPORT


def test_a_worker_with_many_threads_has_a_connection_for_each() -> None:
    assert _worker(REDIS, concurrency=200).broker_transport_options["max_connections"] >= 200


def test_queues_on_rabbitmq_are_quorum_queues_and_sends_are_confirmed() -> None:
    conf = _worker(AMQP)

    assert conf.broker_transport_options == {"confirm_publish": True}
    assert {queue["queue_arguments"]["x-queue-type"] for queue in conf.task_queues.values()} == {"quorum"}


def test_producer_and_worker_agree_on_queues() -> None:
    for broker_url in (REDIS, AMQP):
        produced = producer_settings(broker_url, timeout_seconds=1)
        assert produced["task_queues"] == _worker(broker_url).task_queues
        assert list(produced["task_queues"]) == list(QUEUES) == [LIVE_QUEUE, SWEEP_QUEUE]


def test_a_send_gives_up_by_itself() -> None:
    redis = producer_settings(REDIS, timeout_seconds=1)
    amqp = producer_settings(AMQP, timeout_seconds=1)

    assert redis["task_publish_retry_policy"]["max_retries"] == 0
    assert (
        redis["broker_transport_options"] | {"socket_timeout": 1, "socket_connect_timeout": 1}
        == (redis["broker_transport_options"])
    )
    assert amqp["broker_transport_options"] == {"confirm_publish": True, "read_timeout": 1, "write_timeout": 1}
    assert amqp["broker_connection_timeout"] == 1


def test_the_variables_of_another_celery_application_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    # given
    monkeypatch.setenv("CELERY_BROKER_URL", "redis://elsewhere:6379/0")
    monkeypatch.setenv("CELERY_LOADER", "django")
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "elsewhere.settings")

    # when
    app = create_celery(Settings(broker_url=REDIS))

    # then
    assert app.connection_for_read().hostname == "127.0.0.1"
    assert app.connection_for_write().hostname == "127.0.0.1"


@pytest.mark.parametrize(
    ("redis_url", "broker_url"),
    [
        ("redis://store:6379/0", "redis://store:6379/1"),
        ("redis://store", "redis://store/1"),
        ("redis://user:secret@store:6379/4", "redis://user:secret@store:6379/5"),
        ("redis://store:6379?db=4", "redis://store:6379/5"),
        ("redis://store:6379/15", "redis://store:6379/14"),
        ("redis://store:6379/0?protocol=3", "redis://store:6379/1"),
        ("rediss://store:6379/0?ssl_cert_reqs=none", "rediss://store:6379/1?ssl_cert_reqs=none"),
        ("unix:///run/valkey.sock?db=2", "redis+socket:///run/valkey.sock?virtual_host=3"),
        ("unix:///run/valkey.sock", "redis+socket:///run/valkey.sock?virtual_host=1"),
    ],
)
def test_without_a_broker_the_stores_server_is_used_with_another_database(redis_url: str, broker_url: str) -> None:
    assert create_celery(Settings(redis_url=redis_url)).conf.broker_url == broker_url


def test_a_broker_that_is_set_is_used_as_it_is() -> None:
    settings = Settings(redis_url="redis://store:6379/0", broker_url=AMQP)

    assert create_celery(settings).conf.broker_url == AMQP


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (Settings(), "TURNFOLD_REDIS_URL: is not set"),
        (Settings(broker_url="valkey://store:6379/0"), "TURNFOLD_BROKER_URL: starts with valkey://; write redis://"),
        (Settings(broker_url="sqs://store"), "TURNFOLD_BROKER_URL: starts with sqs://"),
        (Settings(redis_url="redis://store/first"), "TURNFOLD_REDIS_URL: names a database that is not a number"),
    ],
)
def test_a_broker_that_can_not_be_used_is_refused_by_name(settings: Settings, told: str) -> None:
    with pytest.raises(BadInput) as refused:
        create_celery(settings)

    assert refused.value.detail.startswith(told)


@pytest.mark.parametrize("pool", ["gevent", "eventlet", "solo", "unheard-of"])
def test_a_pool_that_loses_jobs_is_refused(pool: str) -> None:
    with pytest.raises(BadInput, match="--pool"):
        run_worker(Settings(broker_url=REDIS), pool=pool)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [({"concurrency": 0}, "--concurrency"), ({"queues": ["turnfold.lvie"]}, "--queues"), ({"queues": []}, "--queues")],
)
def test_a_worker_that_would_do_nothing_is_refused(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInput, match=told):
        run_worker(Settings(broker_url=REDIS), **wrong)


def test_the_schedule_needs_a_store() -> None:
    with pytest.raises(BadInput, match="TURNFOLD_REDIS_URL"):
        run_beat(Settings(broker_url=AMQP))


def test_the_schedule_is_kept_in_the_store_and_taken_over_within_half_a_minute() -> None:
    # given
    settings = Settings(redis_url="redis://store:6379/0", broker_url=AMQP, sweep_interval_seconds=30)

    # when
    conf = create_beat(settings).conf

    # then
    sweep = {"task": SWEEP_TASK, "schedule": 30, "options": {"queue": SWEEP_QUEUE}}
    assert list(conf.beat_schedule.values()) == [sweep]
    assert conf.redbeat_redis_url == "redis://store:6379/0"
    assert conf.redbeat_key_prefix == "{tf:beat}:"
    assert (conf.redbeat_lock_timeout, conf.beat_max_loop_interval) == (30, 5)


def test_a_task_may_take_as_long_as_several_calls_of_the_model() -> None:
    assert task_timeout_seconds(Settings(summary_timeout_seconds=45)) == 360


def test_the_names_on_the_wire_stay_what_they_are() -> None:
    """Producers and workers of two versions share a broker while one is replaced by the other."""
    assert (SUMMARIZE_TASK, SWEEP_TASK) == ("turnfold.summarize", "turnfold.sweep")
    assert QUEUES == ("turnfold.live", "turnfold.sweep")


def test_a_process_that_only_sends_imports_no_worker_and_one_that_does_not_send_no_celery() -> None:
    code = (
        "import sys, turnfold.jobs.celery_queue as queue; assert 'celery' not in sys.modules;"
        "queue.CeleryQueue('redis://127.0.0.1:1/1');"
        "assert 'celery' in sys.modules and 'turnfold_workers' not in sys.modules"
    )

    subprocess.run([sys.executable, "-c", code], check=True, timeout=30)
