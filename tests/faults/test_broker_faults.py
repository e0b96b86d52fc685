"""A broker that refuses, hangs or comes back later: requests are as quick as ever, and every job is done."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.support.chat import Chat
from tests.support.live_system import LiveSystem, Part, live_system
from tests.support.model_server import Gate, Say
from turnfold.embedded import EmbeddedServer
from turnfold.processes import free_port

SLOWEST_REQUEST_SECONDS = 0.3
TURNS = 20
SHORT = "yes"
# Two looks for due jobs, of which the first may come just before a job is due.
FOUND_SECONDS = 12.0
BROKER = "TURNFOLD_BROKER_URL"
# A worker without a broker does not say that it is ready; this it says when it has opened its store.
OPENED = "summarizer.chosen"
FAULTS = ("refused", "hanging")


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSystem]:
    with live_system(tmp_path_factory.mktemp("system")) as running:
        yield running


@pytest.fixture(scope="module")
def brokers() -> Iterator[dict[str, str]]:
    """Addresses of brokers by what is wrong with them."""
    with socket.create_server(("127.0.0.1", 0), backlog=128) as silent:  # takes connections, and never says a word
        hanging = f"redis://127.0.0.1:{silent.getsockname()[1]}/1"
        yield {"refused": f"redis://127.0.0.1:{free_port()}/1", "hanging": hanging}


@pytest.fixture(scope="module")
def apis(system: LiveSystem, brokers: dict[str, str]) -> dict[str, str]:
    """An API for each of these brokers."""
    return {fault: system.start_api({BROKER: url}) for fault, url in brokers.items()}


@pytest.fixture
def workers(system: LiveSystem) -> Iterator[ExitStack]:
    """Ends a test's workers with the test."""
    with ExitStack() as stack:
        yield stack


def started(workers: ExitStack, worker: Part) -> Part:
    workers.callback(worker.kill)
    return worker


def assert_quick(chat: Chat) -> None:
    assert max(chat.seconds) < SLOWEST_REQUEST_SECONDS, sorted(chat.seconds)[-5:]


@pytest.mark.parametrize("fault", FAULTS)
def test_requests_are_quick_and_the_job_is_recorded(
    system: LiveSystem, apis: dict[str, str], workers: ExitStack, fault: str
) -> None:
    chat = system.chat(base_url=apis[fault])

    job = chat.append_until_due()
    for _ in range(TURNS):
        chat.append(1, filler=SHORT)
        assert chat.shown() == chat.said

    assert_quick(chat)
    assert chat.job(job)["state"] == "queued"
    assert chat.head()["pending_job"] == job
    assert system.findings(chat) == []
    started(workers, system.start_worker())
    assert chat.ended_job(job, timeout_seconds=FOUND_SECONDS)["state"] == "succeeded"
    assert system.findings(chat) == []


@pytest.mark.parametrize("fault", FAULTS)
def test_each_due_job_costs_its_request_nothing(system: LiveSystem, apis: dict[str, str], fault: str) -> None:
    chats = [system.chat(base_url=apis[fault]) for _ in range(5)]

    for chat in chats:  # each is a send of its own
        chat.append_until_due()
        chat.context()

    for chat in chats:
        assert_quick(chat)
        assert system.findings(chat) == []


@pytest.mark.parametrize("fault", FAULTS)
def test_a_worker_that_has_no_broker_either_does_the_job(
    system: LiveSystem, apis: dict[str, str], brokers: dict[str, str], workers: ExitStack, fault: str
) -> None:
    chat = system.chat(base_url=apis[fault])
    started(workers, system.start_worker(env={BROKER: brokers[fault]}, says=OPENED))

    ended = chat.ended_job(chat.append_until_due(), timeout_seconds=FOUND_SECONDS)

    assert (ended["state"], ended["tries"]) == ("succeeded", 1)
    assert len(system.model.calls(chat.mark)) == 1
    assert system.findings(chat) == []


def test_without_a_broker_a_slow_job_holds_up_no_other(
    system: LiveSystem, apis: dict[str, str], brokers: dict[str, str], workers: ExitStack
) -> None:
    slow, quick, gate = system.chat(base_url=apis["refused"]), system.chat(base_url=apis["refused"]), Gate()
    system.model.tell(slow.mark, Say(gate=gate))
    started(workers, system.start_worker(env={BROKER: brokers["refused"]}, says=OPENED))
    held = slow.append_until_due()
    system.model.wait_for_call(slow.mark)

    ended = quick.ended_job(quick.append_until_due(), timeout_seconds=FOUND_SECONDS)

    assert ended["state"] == "succeeded"
    assert slow.job(held)["state"] == "running"
    gate.open()
    assert slow.ended_job(held)["state"] == "succeeded"
    assert len(system.model.calls(slow.mark)) == 1


@pytest.mark.parametrize("fault", FAULTS)
def test_a_worker_that_waits_for_its_broker_ends_when_it_is_asked_to(
    system: LiveSystem, brokers: dict[str, str], workers: ExitStack, fault: str
) -> None:
    worker = started(workers, system.start_worker(env={BROKER: brokers[fault]}, says="Cannot connect"))

    worker.process.terminate()

    assert worker.process.wait(timeout=15) == 0, worker.log()


def test_a_worker_finds_its_broker_once_it_is_there(system: LiveSystem, workers: ExitStack) -> None:
    with EmbeddedServer() as broker:
        env = {BROKER: broker.broker_url}
        broker.kill()
        broker.wait()
        worker = started(workers, system.start_worker(env=env, says="Cannot connect"))

        broker.start()
        worker.wait_for("worker.ready")
        chat = system.chat(base_url=system.start_api(env))
        ended = chat.ended_job(chat.append_until_due(), timeout_seconds=FOUND_SECONDS)

        assert (ended["state"], ended["tries"]) == ("succeeded", 1)
        assert system.findings(chat) == []


def test_a_broker_that_has_forgotten_everything_costs_no_job(system: LiveSystem, workers: ExitStack) -> None:
    with EmbeddedServer() as broker:
        env = {BROKER: broker.broker_url}
        chat = system.chat(base_url=system.start_api(env))
        job = chat.append_until_due()
        broker.stop()
        broker.start()  # in a new folder

        started(workers, system.start_worker(env=env))

        assert chat.ended_job(job, timeout_seconds=FOUND_SECONDS)["state"] == "succeeded"
        assert system.findings(chat) == []
