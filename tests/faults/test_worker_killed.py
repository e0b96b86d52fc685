"""A worker that dies, or sleeps, at any point of its job: another one does it in time, and nothing lands twice."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator

import pytest

from tests.support.chat import Chat
from tests.support.live_system import LEASE_SECONDS, LiveSystem, Part, live_system
from tests.support.model_server import Gate, Say
from tests.support.stopping_worker import STOPPED
from tests.support.waiting import wait_until

IN_TIME_SECONDS = LEASE_SECONDS + 15.0


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSystem]:
    with live_system(tmp_path_factory.mktemp("system")) as running:
        yield running


@pytest.fixture
def system(api: LiveSystem) -> Iterator[LiveSystem]:
    """The API without a worker, at the beginning and at the end of each test."""
    before = len(api.parts)
    yield api
    for part in api.parts[before:]:
        part.kill()


def stopping_worker(system: LiveSystem, step: str) -> Part:
    part = system.start("-m", "tests.support.stopping_worker", step)
    part.wait_for("worker.ready")
    return part


def assert_one_summary_landed(system: LiveSystem, chat: Chat) -> None:
    """One summary is shown, what follows it is as it was said, and the log is whole."""
    (summary,) = system.summaries(chat)
    first, *rest = chat.shown()
    assert first == summary["text"]
    assert rest == chat.said[-len(rest) :]
    assert len(rest) == len(chat.said) - len(summary["positions"])
    assert chat.logged() == chat.said
    assert chat.head()["pending_job"] is None
    assert system.findings(chat) == []


def test_killed_between_the_models_answer_and_the_commit_costs_no_second_call(system: LiveSystem) -> None:
    chat = system.chat()
    worker = stopping_worker(system, "commit")
    job = chat.append_until_due()
    worker.wait_for(f"{STOPPED} commit")
    assert len(chat.shown()) == len(chat.said)  # nothing is hidden before the commit

    worker.kill()
    killed_at = time.monotonic()
    other = system.start_worker()
    ended = chat.ended_job(job, timeout_seconds=IN_TIME_SECONDS)

    assert time.monotonic() - killed_at < IN_TIME_SECONDS
    assert (ended["state"], ended["tries"]) == ("succeeded", 2)
    assert len(system.model.calls(chat.mark)) == 1
    assert "reply.reused" in other.log()
    assert_one_summary_landed(system, chat)


def test_killed_while_the_model_writes_costs_one_call_more(system: LiveSystem) -> None:
    chat, gate = system.chat(), Gate()
    system.model.tell(chat.mark, Say(gate=gate))
    worker = system.start_worker()
    job = chat.append_until_due()
    system.model.wait_for_call(chat.mark)
    assert chat.job(job)["state"] == "running"

    worker.kill()
    gate.open()
    system.start_worker()
    ended = chat.ended_job(job, timeout_seconds=IN_TIME_SECONDS)

    assert (ended["state"], ended["tries"]) == ("succeeded", 2)
    assert len(system.model.calls(chat.mark)) == 2
    assert_one_summary_landed(system, chat)


def test_killed_with_the_message_in_hand_but_before_the_claim_it_costs_nothing(system: LiveSystem) -> None:
    chat = system.chat()
    worker = stopping_worker(system, "claim")
    job = chat.append_until_due()
    worker.wait_for(f"{STOPPED} claim")
    assert chat.job(job)["state"] == "queued"

    worker.kill()
    system.start_worker()
    ended = chat.ended_job(job, timeout_seconds=IN_TIME_SECONDS)

    assert (ended["state"], ended["tries"]) == ("succeeded", 1)
    assert len(system.model.calls(chat.mark)) == 1
    assert_one_summary_landed(system, chat)


def test_killed_after_the_models_answer_and_before_it_is_kept_costs_one_call_more(system: LiveSystem) -> None:
    chat = system.chat()
    worker = stopping_worker(system, "keep_reply")
    job = chat.append_until_due()
    worker.wait_for(f"{STOPPED} keep_reply")

    worker.kill()
    system.start_worker()
    ended = chat.ended_job(job, timeout_seconds=IN_TIME_SECONDS)

    assert (ended["state"], ended["tries"]) == ("succeeded", 2)
    assert len(system.model.calls(chat.mark)) == 2
    assert_one_summary_landed(system, chat)


def test_killed_before_it_hears_of_its_commit_costs_nothing(system: LiveSystem) -> None:
    chat = system.chat()
    worker = stopping_worker(system, "after:commit")
    job = chat.append_until_due()
    worker.wait_for(f"{STOPPED} after:commit")

    worker.kill()
    system.start_worker()
    ended = chat.ended_job(job, timeout_seconds=IN_TIME_SECONDS)

    assert (ended["state"], ended["tries"]) == ("succeeded", 1)
    assert len(system.model.calls(chat.mark)) == 1
    assert_one_summary_landed(system, chat)


def test_a_sleepers_late_commit_is_refused(system: LiveSystem) -> None:
    chat, gate = system.chat(), Gate()
    system.model.tell(chat.mark, Say("A first summary: of parcels.", gate=gate), Say("A second summary: of parcels."))
    sleeper = system.start_worker()
    job = chat.append_until_due()
    system.model.wait_for_call(chat.mark)

    os.kill(sleeper.process.pid, signal.SIGSTOP)
    system.start_worker()
    ended = chat.ended_job(job, timeout_seconds=IN_TIME_SECONDS)
    gate.open()
    os.kill(sleeper.process.pid, signal.SIGCONT)
    sleeper.wait_for("job.superseded")

    assert ended["state"] == "succeeded"
    assert chat.job(job) == ended
    assert "A second summary" in chat.shown()[0]
    assert_one_summary_landed(system, chat)


def test_all_jobs_of_a_killed_worker_are_done_by_another(system: LiveSystem) -> None:
    gate = Gate()
    chats = [system.chat() for _ in range(8)]
    for chat in chats:
        system.model.tell(chat.mark, Say(gate=gate))
    worker = system.start_worker()
    jobs = [chat.append_until_due() for chat in chats]
    for chat in chats:
        system.model.wait_for_call(chat.mark)

    worker.kill()
    gate.open()
    system.start_worker()

    for chat, job in zip(chats, jobs, strict=True):
        assert chat.ended_job(job, timeout_seconds=IN_TIME_SECONDS)["state"] == "succeeded"
        assert len(system.model.calls(chat.mark)) == 2
        assert_one_summary_landed(system, chat)


def test_asked_to_end_a_worker_finishes_its_job_first(system: LiveSystem) -> None:
    chat, gate = system.chat(), Gate()
    system.model.tell(chat.mark, Say(gate=gate))
    worker = system.start_worker()
    job = chat.append_until_due()
    system.model.wait_for_call(chat.mark)

    worker.process.terminate()
    worker.wait_for("worker.stopping")
    gate.open()

    assert worker.process.wait(10) == 0
    assert chat.job(job)["state"] == "succeeded"
    assert len(system.model.calls(chat.mark)) == 1
    assert_one_summary_landed(system, chat)


def test_asked_to_end_it_hands_a_long_call_back_and_another_worker_goes_on_at_once(system: LiveSystem) -> None:
    env = {"TURNFOLD_STOP_SECONDS": "1", "TURNFOLD_LEASE_SECONDS": "120"}
    chat, gate = system.chat(), Gate()
    system.model.tell(chat.mark, Say(gate=gate))
    worker = system.start_worker(env=env)
    job = chat.append_until_due()
    system.model.wait_for_call(chat.mark)

    worker.process.terminate()

    assert worker.process.wait(10) == 0
    handed_back = system.stored_job(job)
    assert (str(handed_back.state), handed_back.error) == ("retrying", "handed back by its worker")
    system.start_worker(env=env)
    assert chat.ended_job(job, timeout_seconds=15)["state"] == "succeeded"  # and not after its lease
    gate.open()
    assert len(system.model.calls(chat.mark)) == 2
    assert_one_summary_landed(system, chat)


def test_no_lease_keeps_a_job_that_takes_longer_than_one_from_its_worker(system: LiveSystem) -> None:
    chat = system.chat()
    system.model.tell(chat.mark, Say(after_seconds=2 * LEASE_SECONDS))
    system.start_worker()
    system.start_worker()

    ended = chat.ended_job(chat.append_until_due())

    assert (ended["state"], ended["tries"]) == ("succeeded", 1)
    assert len(system.model.calls(chat.mark)) == 1
    assert_one_summary_landed(system, chat)


def test_with_no_worker_at_all_requests_go_on_and_the_first_one_that_comes_does_the_job(system: LiveSystem) -> None:
    chat = system.chat()
    job = chat.append_until_due()
    chat.append(5)
    assert chat.shown() == chat.said
    assert chat.job(job)["state"] == "queued"

    system.start_worker()

    wait_until(lambda: chat.job(job)["state"] == "succeeded", description="the job is done", timeout_seconds=10)
    chat.wait_until_nothing_is_pending()
    assert system.findings(chat) == []
