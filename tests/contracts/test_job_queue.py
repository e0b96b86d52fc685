"""What every queue promises, shown once for all of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from kombu import Connection

from turnfold.embedded import EmbeddedServer
from turnfold.jobs.broker import KEY_PREFIX, QUEUES, SUMMARIZE_TASK
from turnfold.jobs.celery_queue import CeleryQueue
from turnfold.jobs.memory_queue import MemoryQueue
from turnfold.jobs.queue import JobQueue


class Broker(ABC):
    """A queue's other end: what a worker would get, and a way to take it away."""

    @property
    @abstractmethod
    def queue(self) -> JobQueue: ...

    @abstractmethod
    def take(self) -> str | None: ...

    @abstractmethod
    def go_down(self) -> None: ...


class MemoryBroker(Broker):
    def __init__(self) -> None:
        self._queue = MemoryQueue()

    @property
    def queue(self) -> MemoryQueue:
        return self._queue

    def take(self) -> str | None:
        return self._queue.take()

    def go_down(self) -> None:
        self._queue.is_down = True


class CeleryBroker(Broker):
    def __init__(self, server: EmbeddedServer) -> None:
        self._server = server
        self._queue = CeleryQueue(server.broker_url)

    @property
    def queue(self) -> CeleryQueue:
        return self._queue

    def take(self) -> str | None:
        """As a worker does: the first queue that has something, in the order in which they are served."""
        options = {"global_keyprefix": KEY_PREFIX}
        with Connection(self._server.broker_url, transport_options=options) as connection:
            channel: Any = connection.default_channel
            for name in QUEUES:
                message = channel.basic_get(name, no_ack=True)
                if message is not None:
                    assert message.headers["task"] == SUMMARIZE_TASK
                    return str(message.decode()[0][0])
        return None

    def go_down(self) -> None:
        self._server.kill()
        self._server.wait()


@pytest.fixture
def server() -> Iterator[EmbeddedServer]:
    with EmbeddedServer() as server:
        yield server


@pytest.fixture(params=["memory", "celery"])
async def broker(request: pytest.FixtureRequest) -> AsyncIterator[Broker]:
    broker: Broker
    if request.param == "memory":
        broker = MemoryBroker()
    else:
        server: EmbeddedServer = request.getfixturevalue("server")
        broker = CeleryBroker(server)
    yield broker
    await broker.queue.close()


async def test_a_job_that_was_sent_is_taken_once(broker: Broker) -> None:
    # when
    handed_over = await broker.queue.send("a")

    # then
    assert handed_over is True
    assert [broker.take(), broker.take()] == ["a", None]


async def test_jobs_are_taken_in_the_order_in_which_they_were_sent(broker: Broker) -> None:
    for job_id in "abc":
        await broker.queue.send(job_id)

    assert [broker.take() for _ in "abc"] == ["a", "b", "c"]


async def test_live_jobs_are_taken_first(broker: Broker) -> None:
    # given
    await broker.queue.send("idle", live=False)
    await broker.queue.send("live")

    # then
    assert [broker.take(), broker.take()] == ["live", "idle"]


async def test_a_job_that_was_sent_twice_is_taken_twice(broker: Broker) -> None:
    await broker.queue.send("a")
    await broker.queue.send("a")

    assert [broker.take() for _ in range(3)] == ["a", "a", None]


async def test_a_broker_that_is_down_is_an_answer_and_not_an_error(broker: Broker) -> None:
    # given
    assert await broker.queue.send("before")

    # when
    broker.go_down()

    # then
    assert [await broker.queue.send("a"), await broker.queue.send("b")] == [False, False]


async def test_nothing_is_sent_after_the_close(broker: Broker) -> None:
    # when
    await broker.queue.close()

    # then
    assert await broker.queue.send("a") is False
    assert broker.take() is None


async def test_a_second_close_does_nothing(broker: Broker) -> None:
    await broker.queue.close()
    await broker.queue.close()
