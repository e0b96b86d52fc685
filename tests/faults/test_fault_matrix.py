"""Every fault that production brings, once, on real processes: nothing is lost, nothing lands twice, calls are counted.

A fault that lasts is short here; under `make soak` it lasts a minute.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.support.chat import Chat
from tests.support.live_system import LEASE_SECONDS, LiveSystem, live_system
from tests.support.model_server import FailUntil, Gate, Say
from tests.support.waiting import wait_until
from turnfold.embedded import EmbeddedServer
from turnfold.jobs.broker import LIVE_QUEUE, SUMMARIZE_TASK
from turnfold.jobs.celery_queue import producer_app

IN_TIME_SECONDS = LEASE_SECONDS + 15.0
# A request gives up on the store after one more try: see `wiring`.
REQUEST_SECONDS = 12.0
BROKER = "TURNFOLD_BROKER_URL"
CHATS = 3
SHORT_AND_LONG = [3, pytest.param(60, marks=pytest.mark.soak)]
pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def system(tmp_path: Path) -> Iterator[LiveSystem]:
    with live_system(tmp_path) as running:
        yield running


@contextmanager
def stopped(pid: int | None) -> Generator[None]:
    """The process sleeps in this block: it holds its connections, and says nothing."""
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def assert_sound(system: LiveSystem, *chats: Chat, most_calls: int = 1) -> None:
    """One summary each, of so many calls at most; the log is whole, and the audit is clean."""
    for chat in chats:
        chat.wait_until_nothing_is_pending()
        assert len(system.summaries(chat)) == 1
        assert 1 <= len(system.model.calls(chat.mark)) <= most_calls
        assert chat.logged() == chat.said
        assert system.findings(chat) == []


def assert_done(chats: list[Chat], jobs: list[str], *, within: float = IN_TIME_SECONDS) -> None:
    for chat, job in zip(chats, jobs, strict=True):
        assert chat.ended_job(job, timeout_seconds=within)["state"] == "succeeded"


@pytest.mark.parametrize("seconds", SHORT_AND_LONG)
def test_a_broker_that_hangs_for_a_while(tmp_path: Path, seconds: float) -> None:
    with EmbeddedServer() as broker, live_system(tmp_path, env={BROKER: broker.broker_url}) as system:
        system.start_worker()
        chats, gate = [system.chat() for _ in range(CHATS)], Gate()
        system.model.tell(chats[0].mark, Say(gate=gate))
        jobs = [chats[0].append_until_due()]
        system.model.wait_for_call(chats[0].mark)

        with stopped(broker.pid):
            jobs += [chat.append_until_due() for chat in chats[1:]]
            gate.open()  # this one ends while there is nobody to acknowledge to
            time.sleep(seconds)
            for chat in chats:
                chat.context()
                assert max(chat.seconds) < 2

        assert_done(chats, jobs)
        assert_sound(system, *chats)


def test_a_broker_that_is_restarted_while_jobs_run(tmp_path: Path) -> None:
    with EmbeddedServer() as broker, live_system(tmp_path, env={BROKER: broker.broker_url}) as system:
        worker = system.start_worker()
        chats, gate = [system.chat() for _ in range(CHATS)], Gate()
        for chat in chats:
            system.model.tell(chat.mark, Say(gate=gate))
        jobs = [chat.append_until_due() for chat in chats]
        for chat in chats:
            system.model.wait_for_call(chat.mark)

        broker.kill()
        broker.wait()
        gate.open()
        assert_done(chats, jobs)  # without it
        broker.start()
        later = system.chat()
        job = later.append_until_due()

        assert_done([later], [job])
        assert worker.process.poll() is None
        assert_sound(system, *chats, later)


def test_a_store_that_is_restarted_while_jobs_run(system: LiveSystem) -> None:
    worker = system.start_worker()
    chats, gate = [system.chat() for _ in range(CHATS)], Gate()
    for chat in chats:
        system.model.tell(chat.mark, Say(gate=gate))
    jobs = [chat.append_until_due() for chat in chats]
    for chat in chats:
        system.model.wait_for_call(chat.mark)

    system.store.kill()
    system.store.wait()
    refused = httpx.post(
        f"{system.base_url}/v1/sessions/{chats[0].session}/messages",
        json={"messages": [{"role": "user", "content": "Is anybody there?"}]},
        timeout=REQUEST_SECONDS,
        trust_env=False,
    )
    gate.open()
    system.store.start()

    assert refused.status_code == 503
    assert refused.headers["content-type"].startswith("application/problem+json")
    assert_done(chats, jobs)
    assert worker.process.poll() is None
    # A reply that no store could be told of in time is asked for once more.
    assert_sound(system, *chats, most_calls=2)


@pytest.mark.parametrize("seconds", SHORT_AND_LONG)
def test_a_store_that_hangs_for_a_while(system: LiveSystem, seconds: float) -> None:
    system.start_worker()
    chat, gate = system.chat(), Gate()
    system.model.tell(chat.mark, Say(gate=gate))
    job = chat.append_until_due()
    system.model.wait_for_call(chat.mark)

    with stopped(system.store.pid):
        gate.open()
        time.sleep(seconds)

    assert_done([chat], [job])
    assert_sound(system, chat, most_calls=2)


def test_messages_that_are_delivered_twenty_times_to_two_workers(system: LiveSystem) -> None:
    for _ in range(2):
        system.start_worker()
    chats, gate = [system.chat() for _ in range(CHATS)], Gate()
    for chat in chats:
        system.model.tell(chat.mark, Say(gate=gate))
    jobs = [chat.append_until_due() for chat in chats]
    app = producer_app(system.store.broker_url, timeout_seconds=1)

    with app.producer_or_acquire() as producer:
        for _ in range(20):
            for job in jobs:
                app.send_task(SUMMARIZE_TASK, args=[job], queue=LIVE_QUEUE, producer=producer)
    gate.open()

    assert_done(chats, jobs)
    assert [chat.job(job)["tries"] for chat, job in zip(chats, jobs, strict=True)] == [1] * CHATS
    assert_sound(system, *chats)


@pytest.mark.parametrize("minutes", [10, pytest.param(-10, marks=pytest.mark.soak)])
def test_a_worker_whose_clock_is_wrong_beside_one_whose_clock_is_right(system: LiveSystem, minutes: int) -> None:
    skewed = system.start("-m", "tests.support.skewed_worker", str(60 * minutes))
    skewed.wait_for("worker.ready")
    chats = [system.chat() for _ in range(CHATS)]
    for chat in chats:
        system.model.tell(chat.mark, Say(after_seconds=2 * LEASE_SECONDS))
    jobs = [chat.append_until_due() for chat in chats]
    for chat in chats:
        system.model.wait_for_call(chat.mark)
    system.start_worker()  # takes over nothing that is held

    assert_done(chats, jobs)
    assert_sound(system, *chats)


@pytest.mark.parametrize("seconds", [3, pytest.param(60, marks=pytest.mark.soak)])
@pytest.mark.parametrize("status", [429, pytest.param(500, marks=pytest.mark.soak)])
def test_a_model_that_answers_with_errors_for_a_while(system: LiveSystem, seconds: float, status: int) -> None:
    system.start_worker()
    chats, until = [system.chat() for _ in range(CHATS)], time.monotonic() + seconds
    for chat in chats:
        system.model.tell(chat.mark, *[FailUntil(status, until)] * 50)
    jobs = [chat.append_until_due() for chat in chats]

    assert_done(chats, jobs, within=seconds + 150)

    # All workers together left it alone: by far fewer calls than jobs and tries.
    assert_sound(system, *chats, most_calls=8)
    assert all(system.stored_job(job).error == "" for job in jobs)


def test_an_api_that_is_killed(system: LiveSystem) -> None:
    system.start_worker()
    chat, gate = system.chat(), Gate()
    system.model.tell(chat.mark, Say(gate=gate))
    job = chat.append_until_due()
    system.model.wait_for_call(chat.mark)

    system.parts[0].kill()
    gate.open()
    after = Chat(system.start_api(), mark=chat.mark)
    after.said = chat.said

    assert_done([after], [job])
    assert_sound(system, after)
    after.close()


def test_a_beat_that_is_killed_is_followed_by_another(system: LiveSystem) -> None:
    often = {"TURNFOLD_SWEEP_INTERVAL_SECONDS": "1"}
    worker = system.start_worker()
    first = system.start("-m", "turnfold", "beat", env=often)
    worker.wait_for("sweep.done")

    first.kill()
    second = system.start("-m", "turnfold", "beat", env=often)
    swept = worker.log().count("sweep.done")

    # The lock of the one that was killed is held for half a minute.
    wait_until(
        lambda: worker.log().count("sweep.done") > swept + 2,
        description="sweeps are sent again",
        timeout_seconds=60,
    )
    assert second.process.poll() is None


def test_a_beat_whose_store_is_restarted_says_so_in_a_few_lines(system: LiveSystem) -> None:
    often = {"TURNFOLD_SWEEP_INTERVAL_SECONDS": "1"}
    worker = system.start_worker()
    beat = system.start("-m", "turnfold", "beat", env=often)
    worker.wait_for("sweep.done")

    system.store.kill()
    system.store.wait()
    wait_until(lambda: len(beat.log().splitlines()) > 1, description="the beat has noticed", timeout_seconds=30)
    system.store.start()

    # It waits for its store, or ends and is started again by whoever supervises it.
    assert beat.process.poll() in (None, 1)
    assert "Traceback" not in beat.log()
    assert len(beat.log().splitlines()) < 20


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of a few megabytes, where this user may make one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=6m", "none", str(disk)], check=False, capture_output=True
    )
    if made.returncode:
        pytest.skip("no disk can be mounted by this user")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


def test_a_full_disk_of_the_embedded_store(tmp_path: Path, small_disk: Path) -> None:
    with live_system(tmp_path, data=small_disk) as system:
        system.start_worker()
        chat, gate = system.chat(), Gate()
        system.model.tell(chat.mark, Say(gate=gate))
        job = chat.append_until_due()
        system.model.wait_for_call(chat.mark)
        ballast = small_disk / "ballast"
        with ballast.open("wb", buffering=0) as file:
            while True:
                try:
                    file.write(b"x" * 4096)
                except OSError:
                    break

        def refused() -> bool:
            answer = httpx.post(
                f"{system.base_url}/v1/sessions/another/messages",
                json={"messages": [{"role": "user", "content": "x" * 10_000}]},
                timeout=REQUEST_SECONDS,
                trust_env=False,
            )
            return answer.status_code == 503

        wait_until(refused, description="writes are refused", timeout_seconds=20)
        gate.open()
        assert len(chat.shown()) == len(chat.said)  # reading goes on
        ballast.unlink()

        assert_done([chat], [job], within=40)
        assert_sound(system, chat, most_calls=2)
