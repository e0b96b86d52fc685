"""The same worker on RabbitMQ, where queues, acknowledgements and the end of a broker are other things."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.support.rabbitmq_server import RabbitMQServer
from tests.support.waiting import wait_until_async
from tests.support.worker_process import running_worker
from turnfold.jobs.broker import QUEUES
from turnfold.jobs.celery_queue import CeleryQueue

pytestmark = [pytest.mark.rabbitmq, pytest.mark.timeout(180)]


# One node for all: it takes seconds to start.
@pytest.fixture(scope="module")
def server() -> Iterator[RabbitMQServer]:
    with RabbitMQServer() as server:
        yield server


@pytest.fixture
async def queue(server: RabbitMQServer) -> AsyncIterator[CeleryQueue]:
    queue = CeleryQueue(server.broker_url, pause_seconds=0.1)
    yield queue
    await queue.close()


async def test_jobs_of_both_kinds_are_run(server: RabbitMQServer, queue: CeleryQueue, tmp_path: Path) -> None:
    with running_worker(tmp_path, server.broker_url) as worker:
        # when
        assert await queue.send("a")
        assert await queue.send("b", live=False)

        # then
        worker.wait_for("finished a")
        worker.wait_for("finished b")


async def test_only_our_queues_are_made_and_they_are_quorum_queues(
    server: RabbitMQServer, queue: CeleryQueue, tmp_path: Path
) -> None:
    with running_worker(tmp_path, server.broker_url) as worker:
        await queue.send("a")
        worker.wait_for("finished a")

        assert server.queues() == dict.fromkeys(QUEUES, "quorum")


async def test_a_worker_that_is_killed_leaves_its_job_to_another(
    server: RabbitMQServer, queue: CeleryQueue, tmp_path: Path
) -> None:
    # given
    with running_worker(tmp_path / "first", server.broker_url) as first:
        await queue.send("hold-1")
        first.wait_for("started hold-1")

    # when: the block has killed it
    with running_worker(tmp_path / "second", server.broker_url) as second:
        second.release()

        # then
        second.wait_for("finished hold-1")


@pytest.mark.parametrize("pool", ["threads", "prefork"])
async def test_a_worker_survives_a_restart_of_its_broker_while_jobs_run(
    server: RabbitMQServer, queue: CeleryQueue, tmp_path: Path, pool: str
) -> None:
    with running_worker(tmp_path, server.broker_url, pool=pool) as worker:
        # given
        held = ["hold-1", "hold-2", "hold-3"]
        for job_id in held:
            await queue.send(job_id)
        for job_id in held:
            worker.wait_for(f"started {job_id}")

        # when: the jobs end while there is no broker to acknowledge to
        server.terminate()
        server.wait()
        worker.release()
        for job_id in held:
            worker.wait_for(f"finished {job_id}")
        server.start()

        # then
        await wait_until_async(lambda: queue.send("after"), description="the broker takes messages again")
        worker.wait_for("finished after")
        assert worker.is_alive()
