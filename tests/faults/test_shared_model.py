"""Two workers and one model: the model's limits hold for both together, and what it suffers one tells the other."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.chat import Chat
from tests.support.live_system import POLICY, LiveSystem, live_system
from tests.support.model_server import MODEL, Call, Fail, Say
from tests.support.waiting import wait_until

pytestmark = pytest.mark.timeout(120)
FALLBACK = "large-model"


@contextmanager
def two_workers(folder: Path, env: Mapping[str, str]) -> Generator[LiveSystem]:
    with live_system(folder, env=env) as system:
        for _ in range(2):
            system.start_worker()
        yield system


def most_at_a_time(calls: list[Call]) -> int:
    moments = sorted([(call.at, 1) for call in calls] + [(call.answered_at, -1) for call in calls])
    running = most = 0
    for _, step in moments:
        running += step
        most = max(most, running)
    return most


def test_no_more_calls_at_a_time_than_both_may_make_together(tmp_path: Path) -> None:
    with two_workers(tmp_path, {"TURNFOLD_SUMMARY_CONCURRENCY": "3"}) as system:
        chats = [system.chat() for _ in range(12)]
        for chat in chats:
            system.model.tell(chat.mark, Say(after_seconds=0.3))
        jobs = [chat.append_until_due() for chat in chats]

        ended = [chat.ended_job(job) for chat, job in zip(chats, jobs, strict=True)]

        assert {job["state"] for job in ended} == {"succeeded"}
        calls = [call for chat in chats for call in system.model.calls(chat.mark)]
        assert len(calls) == len(chats)
        assert most_at_a_time(calls) == 3
        assert len({system.stored_job(job).worker for job in jobs}) == 2


def test_no_more_calls_in_a_minute_and_the_jobs_that_wait_lose_no_try(tmp_path: Path) -> None:
    with two_workers(tmp_path, {"TURNFOLD_SUMMARY_REQUESTS_PER_MINUTE": "4"}) as system:
        chats = [system.chat() for _ in range(7)]
        jobs = [chat.append_until_due() for chat in chats]

        def states() -> list[str]:
            return sorted(chat.job(job)["state"] for chat, job in zip(chats, jobs, strict=True))

        wait_until(
            lambda: states() == ["retrying"] * 3 + ["succeeded"] * 4,
            description="four are done and three wait",
            timeout_seconds=30,
        )

        waiting = [job for job in map(system.stored_job, jobs) if str(job.state) == "retrying"]
        assert [(job.tries, job.failures) for job in waiting] == [(0, 0)] * 3
        assert {job.error for job in waiting} == {"no room for a call now: budget"}
        assert sum(len(system.model.calls(chat.mark)) for chat in chats) == 4
        for chat in chats:
            assert chat.logged() == chat.said
            assert system.findings(chat) == []


def test_a_model_that_fails_again_and_again_is_left_alone_and_the_other_one_asked(tmp_path: Path) -> None:
    env = {"TURNFOLD_SUMMARY_FALLBACK_MODEL": FALLBACK}
    with two_workers(tmp_path, env) as system:
        failing = [system.chat() for _ in range(5)]
        for chat in failing:
            system.model.tell(chat.mark, Fail(503))
        jobs = [chat.append_until_due() for chat in failing]
        for chat in failing:
            system.model.wait_for_call(chat.mark)
        wait_until(lambda: all(system.stored_job(job).failures for job in jobs), description="five calls have failed")
        later = system.chat()

        ended = later.ended_job(later.append_until_due())

        assert ended["state"] == "succeeded"
        assert [call.body["model"] for call in system.model.calls(later.mark)] == [FALLBACK]
        for chat, job in zip(failing, jobs, strict=True):
            assert chat.ended_job(job)["state"] == "succeeded"
            assert system.model.calls(chat.mark)[0].body["model"] == MODEL
            assert system.findings(chat) == []


def test_when_it_asks_to_be_left_alone_no_worker_asks_it(tmp_path: Path) -> None:
    with two_workers(tmp_path, {}) as system:
        first, others = system.chat(), [system.chat() for _ in range(4)]
        system.model.tell(first.mark, Fail(429, {"Retry-After": "6"}))
        job = first.append_until_due()
        told_at = system.model.wait_for_call(first.mark).at
        wait_until(lambda: system.stored_job(job).failures == 1, description="the job knows")

        jobs = [chat.append_until_due() for chat in others]
        ended = [chat.ended_job(job) for chat, job in zip(others, jobs, strict=True)]

        assert {(job["state"], job["tries"]) for job in ended} == {("succeeded", 1)}
        assert min(system.model.calls(chat.mark)[0].at for chat in others) - told_at >= 5.9
        assert first.ended_job(job)["state"] == "succeeded"


def test_one_conversations_fault_costs_a_busy_model_nothing(tmp_path: Path) -> None:
    with two_workers(tmp_path, {}) as system:
        poisoned: Chat = system.chat(policy=POLICY | {"fallback": "none"})
        system.model.tell(poisoned.mark, *[Fail(500)] * 6)
        poisoned.append_until_due()

        for _ in range(4):
            chat = system.chat()
            assert chat.ended_job(chat.append_until_due(), timeout_seconds=10)["state"] == "succeeded"
