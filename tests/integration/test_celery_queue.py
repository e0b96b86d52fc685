"""What a send costs a request when the broker is not what it should be."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator

import pytest

from tests.support.waiting import wait_until_async
from turnfold.embedded import EmbeddedServer
from turnfold.jobs.celery_queue import MAX_WAITING_SENDS, CeleryQueue
from turnfold.processes import free_port

SCHEMES = ["redis", "amqp"]


@pytest.fixture
def silent_port() -> Iterator[int]:
    """Takes connections, and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield int(listener.getsockname()[1])


@pytest.fixture(params=SCHEMES)
async def refused(request: pytest.FixtureRequest) -> AsyncIterator[CeleryQueue]:
    queue = CeleryQueue(f"{request.param}://127.0.0.1:{free_port()}/1", pause_seconds=0)
    yield queue
    await queue.close()


@pytest.fixture(params=SCHEMES)
async def hanging(request: pytest.FixtureRequest, silent_port: int) -> AsyncIterator[CeleryQueue]:
    queue = CeleryQueue(f"{request.param}://127.0.0.1:{silent_port}/1")
    yield queue
    await queue.close()


async def _timed_send(queue: CeleryQueue) -> tuple[bool, float]:
    begun = time.monotonic()
    handed_over = await queue.send("a")
    return handed_over, time.monotonic() - begun


async def test_a_broker_that_refuses_costs_milliseconds(refused: CeleryQueue) -> None:
    sends = [await _timed_send(refused) for _ in range(5)]

    assert [handed_over for handed_over, _ in sends] == [False] * 5
    # Below 5 ms each on a quiet machine; the best of five says so on a busy one too.
    assert min(seconds for _, seconds in sends) < 0.02
    assert max(seconds for _, seconds in sends) < 0.5


async def test_a_broker_that_hangs_costs_the_deadline_and_not_the_event_loop(hanging: CeleryQueue) -> None:
    # given
    beats: list[float] = []

    async def beat() -> None:
        while True:
            beats.append(time.monotonic())
            await asyncio.sleep(0.01)

    heart = asyncio.create_task(beat())

    # when
    handed_over, seconds = await _timed_send(hanging)
    heart.cancel()

    # then
    assert not handed_over
    assert 0.9 < seconds < 1.2
    assert max(later - earlier for earlier, later in itertools.pairwise(beats)) < 0.2


async def test_while_a_broker_hangs_other_sends_are_refused_at_once(hanging: CeleryQueue) -> None:
    # given
    await hanging.send("first")

    # when
    sends = await asyncio.gather(*(_timed_send(hanging) for _ in range(100)))

    # then
    assert not any(handed_over for handed_over, _ in sends)
    assert max(seconds for _, seconds in sends) < 0.2


async def test_sends_that_hang_together_take_no_more_threads_than_there_are(hanging: CeleryQueue) -> None:
    # when
    sends = await asyncio.gather(*(hanging.send(str(number)) for number in range(MAX_WAITING_SENDS + 10)))

    # then
    assert not any(sends)
    assert sum(thread.name.startswith("turnfold-send") for thread in threading.enumerate()) <= 2


async def test_sends_go_through_again_once_the_broker_is_back() -> None:
    with EmbeddedServer() as server:
        # given
        queue = CeleryQueue(server.broker_url, pause_seconds=0.05)
        assert await queue.send("a")
        server.kill()
        server.wait()
        assert not await queue.send("b")

        # when
        server.start()

        # then
        await wait_until_async(lambda: queue.send("c"), description="a send goes through")
        await queue.close()


async def test_a_broker_that_stops_in_mid_connection_costs_the_deadline() -> None:
    with EmbeddedServer() as server:
        # given
        queue = CeleryQueue(server.broker_url)
        assert await queue.send("a")
        pid = server.pid
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)

        # when
        handed_over, seconds = await _timed_send(queue)
        os.kill(pid, signal.SIGCONT)

        # then
        assert not handed_over
        assert seconds < 1.2
        await queue.close()
