"""The runtime of a worker's process, from its start to its end."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.waiting import wait_until
from turnfold_workers.runtime import Runtime
from turnfold_workers.runtime_host import RuntimeHost


class FakeRuntime(Runtime):
    def __init__(self) -> None:
        self.did: list[str] = []
        self.polls = 0
        self.poll_error: Exception | None = None
        self.start_error: Exception | None = None

    async def start(self) -> None:
        if self.start_error:
            raise self.start_error
        self.did.append("start")

    async def run_job(self, job_id: str) -> None:
        self.did.append(f"run {job_id}")

    def hand_back(self) -> None:
        self.did.append("hand back")

    async def sweep(self) -> None:
        self.did.append("sweep")

    async def poll(self) -> int:
        self.polls += 1
        if self.poll_error:
            raise self.poll_error
        return 0

    async def close(self) -> None:
        self.did.append("close")


def _host(runtime: FakeRuntime) -> RuntimeHost:
    return RuntimeHost(lambda: runtime, task_timeout_seconds=5, poll_interval_seconds=0.01)


def test_it_starts_works_and_closes_in_order() -> None:
    # given
    runtime = FakeRuntime()
    host = _host(runtime)

    # when
    host.start()
    host.run_job("a")
    host.sweep()
    host.close()
    host.close()

    # then
    assert runtime.did == ["start", "run a", "sweep", "close"]


def test_the_poller_outlives_its_errors() -> None:
    # given
    runtime = FakeRuntime()
    runtime.poll_error = ConnectionError("the store is away")
    host = _host(runtime)

    # when
    host.start()

    # then
    wait_until(lambda: runtime.polls >= 3, description="it polls on")
    host.close()


def test_nothing_is_polled_after_polling_was_stopped() -> None:
    # given
    runtime = FakeRuntime()
    host = _host(runtime)
    host.start()
    wait_until(lambda: runtime.polls >= 1, description="it polls")

    # when
    host.stop_polling()
    host.run_job("a")
    polls = runtime.polls
    host.run_job("b")
    host.close()

    # then
    assert runtime.polls == polls


def test_a_runtime_that_does_not_start_leaves_no_thread_behind() -> None:
    # given
    runtime = FakeRuntime()
    runtime.start_error = ConnectionError("no store")

    # when
    with pytest.raises(ConnectionError, match="no store"):
        _host(runtime).start()

    # then
    assert "turnfold-loop" not in {thread.name for thread in threading.enumerate()}


def test_jobs_of_many_threads_run_side_by_side() -> None:
    # given
    meeting = threading.Barrier(4)

    class Meeting(FakeRuntime):
        async def run_job(self, job_id: str) -> None:
            await asyncio.to_thread(meeting.wait, 5)

    host = _host(Meeting())
    host.start()

    # when
    with ThreadPoolExecutor(4) as threads:
        results = list(threads.map(host.run_job, "abcd"))

    # then
    assert results == [None] * 4
    host.close()
