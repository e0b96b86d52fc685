"""A worker's process on a real broker: what it promises when jobs fail, and when it or the broker goes away."""

from __future__ import annotations

import json
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from tests.support.waiting import wait_until, wait_until_async
from tests.support.worker_process import running_worker
from turnfold.embedded import EmbeddedServer
from turnfold.jobs.broker import KEY_PREFIX, LIVE_QUEUE
from turnfold.jobs.celery_queue import CeleryQueue

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
def server() -> Iterator[EmbeddedServer]:
    with EmbeddedServer() as server:
        yield server


@pytest.fixture
async def queue(server: EmbeddedServer) -> AsyncIterator[CeleryQueue]:
    queue = CeleryQueue(server.broker_url)
    yield queue
    await queue.close()


async def test_a_job_sent_by_name_is_run(server: EmbeddedServer, queue: CeleryQueue, tmp_path: Path) -> None:
    with running_worker(tmp_path, server.broker_url) as worker:
        # when
        assert await queue.send("a")

        # then
        worker.wait_for("finished a")


@pytest.mark.parametrize("pool", ["threads", "prefork"])
async def test_a_job_that_fails_is_acknowledged_and_its_words_stay_out_of_the_log(
    server: EmbeddedServer, queue: CeleryQueue, tmp_path: Path, pool: str
) -> None:
    with running_worker(tmp_path, server.broker_url, concurrency=1, pool=pool) as worker:
        # when
        await queue.send("fail-1")
        await queue.send("next")

        # then
        worker.wait_for("finished next")
        wait_until(lambda: not _unacknowledged(server), description="both are acknowledged")
        failures = [line for line in _events(worker.log()) if line["event"] == "task.summarize_failed"]
        assert [(line["job_id"], line["error"]) for line in failures] == [("fail-1", "ValueError")]
        assert failures[0]["at"].startswith("recording_worker.py:")
        assert "the words of a conversation" not in worker.log()


async def test_lost_jobs_are_looked_for_without_any_message(server: EmbeddedServer, tmp_path: Path) -> None:
    with running_worker(tmp_path, server.broker_url) as worker:
        worker.wait_for("polled", times=2)


async def test_live_jobs_are_run_before_all_others(server: EmbeddedServer, queue: CeleryQueue, tmp_path: Path) -> None:
    # given
    for number in range(3):
        await queue.send(f"sweep-{number}", live=False)
    for number in range(3):
        await queue.send(f"live-{number}")

    # when
    with running_worker(tmp_path, server.broker_url, concurrency=1) as worker:
        worker.wait_for("finished sweep-2")

        # then
        assert worker.started_jobs() == ["live-0", "live-1", "live-2", "sweep-0", "sweep-1", "sweep-2"]


@pytest.mark.parametrize("pool", ["threads", "prefork"])
@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGHUP])
async def test_a_worker_that_is_told_to_end_finishes_what_runs_and_leaves_the_rest(
    server: EmbeddedServer, queue: CeleryQueue, tmp_path: Path, by: signal.Signals, pool: str
) -> None:
    with running_worker(tmp_path, server.broker_url, concurrency=1, pool=pool) as worker:
        # given
        await queue.send("hold-1")
        worker.wait_for("started hold-1")
        await queue.send("left")

        # when
        worker.ask_to_end(by)
        wait_until(lambda: "worker.stopping" in worker.log(), description="the worker has heard it")
        worker.release()

        # then
        assert worker.exit_code() == 0, worker.log()
        assert "finished hold-1" in worker.record()
        assert worker.record()[-1] == "closed"
        assert "started left" not in worker.record()
        assert [job for job in _waiting(server) if job == "left"] == ["left"]
        assert not _unacknowledged(server)


@pytest.mark.parametrize("pool", ["threads", "prefork"])
async def test_a_worker_survives_a_restart_of_its_broker_while_jobs_run(
    server: EmbeddedServer, queue: CeleryQueue, tmp_path: Path, pool: str
) -> None:
    with running_worker(tmp_path, server.broker_url, pool=pool) as worker:
        # given
        held = ["hold-1", "hold-2", "hold-3"]
        for job_id in held:
            await queue.send(job_id)
        for job_id in held:
            worker.wait_for(f"started {job_id}")

        # when: the jobs end while there is no broker to acknowledge to
        server.kill()
        server.wait()
        worker.release()
        for job_id in held:
            worker.wait_for(f"finished {job_id}")
        server.start()

        # then
        await _send_until_taken(queue, "after")
        worker.wait_for("finished after")
        assert worker.is_alive()


async def test_the_schedule_sends_sweeps_and_lets_go_of_its_lock_at_the_end(
    server: EmbeddedServer, tmp_path: Path
) -> None:
    store = {"TURNFOLD_REDIS_URL": server.redis_url, "TURNFOLD_SWEEP_INTERVAL_SECONDS": "0.2"}
    with (
        running_worker(tmp_path / "worker", server.broker_url) as worker,
        running_worker(tmp_path / "beat", server.broker_url, part="beat", environment=store) as beat,
    ):
        # when
        worker.wait_for("swept", times=2)
        keys = _client(server, database=0).keys()
        beat.ask_to_end()

        # then
        assert beat.exit_code() == 0, beat.log()
        assert keys, "the schedule is kept in the store"
        assert all(key.startswith("{tf:beat}:") for key in keys)
        assert "{tf:beat}::lock" in keys
        assert "{tf:beat}::lock" not in _client(server, database=0).keys("*")


def _client(server: EmbeddedServer, *, database: int) -> Any:
    return redis.Redis(port=server.port, db=database, decode_responses=True)


def _waiting(server: EmbeddedServer) -> list[str]:
    messages = _client(server, database=1).lrange(KEY_PREFIX + LIVE_QUEUE, 0, -1)
    return [json.loads(message)["headers"]["argsrepr"].strip("[]'") for message in messages]


def _unacknowledged(server: EmbeddedServer) -> int:
    return int(_client(server, database=1).hlen(KEY_PREFIX + "unacked"))


def _events(log: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.splitlines() if line.startswith("{")]


async def _send_until_taken(queue: CeleryQueue, job_id: str) -> None:
    await wait_until_async(lambda: queue.send(job_id), description="the broker takes messages again")
