"""A killed worker's job is finished by another within its lease plus 15 s: on each broker, and in each pool.

The pairs of broker and pool are those that a worker may be started with. What Redis and threads do at more points is
in `test_worker_killed`.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator

import pytest

from tests.support.chat import Chat
from tests.support.live_system import LEASE_SECONDS, LiveSystem, Part, live_system
from tests.support.model_server import Gate, Say
from tests.support.processes import descendants_of, is_alive
from tests.support.rabbitmq_server import RabbitMQServer
from tests.support.stopping_worker import STOPPED
from tests.support.waiting import wait_until

IN_TIME_SECONDS = LEASE_SECONDS + 15.0
# Each pair's first start, of RabbitMQ above all, takes its time.
pytestmark = pytest.mark.timeout(150)
ON_RABBITMQ = pytest.mark.rabbitmq


@pytest.fixture(scope="module", params=["redis", pytest.param("rabbitmq", marks=ON_RABBITMQ)])
def api(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSystem]:
    folder = tmp_path_factory.mktemp("system")
    if request.param == "redis":
        with live_system(folder) as running:
            yield running
        return
    with RabbitMQServer() as broker, live_system(folder, env={"TURNFOLD_BROKER_URL": broker.broker_url}) as running:
        yield running


@pytest.fixture
def system(api: LiveSystem) -> Iterator[LiveSystem]:
    before = len(api.parts)
    yield api
    for part in api.parts[before:]:
        kill_all(part)


@pytest.fixture(params=["threads", "prefork"])
def pool(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def start_worker(system: LiveSystem, pool: str) -> Part:
    part = system.start("-m", "turnfold", "worker", "--pool", pool, "--concurrency", "2")
    part.wait_for("worker.ready")
    return part


def stopping_worker(system: LiveSystem, step: str, pool: str) -> Part:
    part = system.start("-m", "tests.support.stopping_worker", step, pool)
    part.wait_for("worker.ready")
    return part


def kill_all(part: Part) -> None:
    """The worker and its children at once, as the end of a container or a machine does."""
    for pid in [*descendants_of(part.process.pid), part.process.pid]:
        if is_alive(pid):
            os.kill(pid, signal.SIGKILL)
    part.process.wait()


def assert_one_summary_landed(system: LiveSystem, chat: Chat) -> None:
    (summary,) = system.summaries(chat)
    first, *rest = chat.shown()
    assert first == summary["text"]
    assert rest == chat.said[-len(rest) :]
    assert chat.logged() == chat.said
    assert chat.head()["pending_job"] is None
    assert system.findings(chat) == []


@pytest.mark.parametrize(
    ("step", "tries", "calls"),
    [
        ("claim", 1, 1),
        pytest.param("keep_reply", 2, 2, marks=pytest.mark.soak),
        ("commit", 2, 1),
        pytest.param("after:commit", 1, 1, marks=pytest.mark.soak),
    ],
    ids=["before the claim", "after the answer", "before the commit", "during the commit"],
)
def test_a_worker_killed(system: LiveSystem, pool: str, step: str, tries: int, calls: int) -> None:
    chat = system.chat()
    worker = stopping_worker(system, step, pool)
    job = chat.append_until_due()
    worker.wait_for(f"{STOPPED} {step}")

    kill_all(worker)
    killed_at = time.monotonic()
    start_worker(system, pool)
    ended = chat.ended_job(job, timeout_seconds=IN_TIME_SECONDS)

    assert time.monotonic() - killed_at < IN_TIME_SECONDS
    assert (ended["state"], ended["tries"]) == ("succeeded", tries)
    assert len(system.model.calls(chat.mark)) == calls
    assert_one_summary_landed(system, chat)


def test_a_worker_killed_while_the_model_writes(system: LiveSystem, pool: str) -> None:
    chat, gate = system.chat(), Gate()
    system.model.tell(chat.mark, Say(gate=gate))
    worker = start_worker(system, pool)
    job = chat.append_until_due()
    system.model.wait_for_call(chat.mark)

    kill_all(worker)
    gate.open()
    start_worker(system, pool)
    ended = chat.ended_job(job, timeout_seconds=IN_TIME_SECONDS)

    assert (ended["state"], ended["tries"]) == ("succeeded", 2)
    assert len(system.model.calls(chat.mark)) == 2
    assert_one_summary_landed(system, chat)


def test_a_child_killed_while_the_model_writes_is_replaced_and_the_job_done(system: LiveSystem) -> None:
    chat, gate = system.chat(), Gate()
    system.model.tell(chat.mark, Say(gate=gate))
    worker = start_worker(system, "prefork")
    job = chat.append_until_due()
    system.model.wait_for_call(chat.mark)
    child = int(system.stored_job(job).worker.rpartition(":")[2])
    assert child in descendants_of(worker.process.pid)

    os.kill(child, signal.SIGKILL)
    gate.open()
    ended = chat.ended_job(job, timeout_seconds=IN_TIME_SECONDS)

    assert (ended["state"], ended["tries"]) == ("succeeded", 2)
    assert len(system.model.calls(chat.mark)) == 2
    assert worker.process.poll() is None
    assert_one_summary_landed(system, chat)


def test_children_whose_parent_was_killed_end(system: LiveSystem) -> None:
    worker = start_worker(system, "prefork")
    children = [pid for pid, words in descendants_of(worker.process.pid).items() if "turnfold" in words]
    assert len(children) == 2

    worker.kill()

    wait_until(
        lambda: not any(is_alive(child) for child in children),
        description="the children are gone",
        timeout_seconds=IN_TIME_SECONDS,
    )
