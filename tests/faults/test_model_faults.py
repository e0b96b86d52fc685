"""A model that is overloaded, broken, unwilling or silent: what becomes of the job, and of the conversation."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.chat import Chat
from tests.support.live_system import POLICY, LiveSystem, live_system
from tests.support.model_server import Answer, Cut, Drip, Fail, Hang, Say

TIMEOUT_SECONDS = 1
RETRY_AFTER_SECONDS = 3
WITHOUT_FALLBACK = POLICY | {"fallback": "none"}
SHORT = "yes"


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSystem]:
    env = {"TURNFOLD_SUMMARY_TIMEOUT_SECONDS": str(TIMEOUT_SECONDS)}
    with live_system(tmp_path_factory.mktemp("system"), env=env) as running:
        running.start_worker()
        yield running


def assert_a_models_summary_landed(system: LiveSystem, chat: Chat) -> None:
    (summary,) = system.summaries(chat)
    assert not summary["degraded"]
    assert chat.shown()[0] == summary["text"]
    assert system.findings(chat) == []


def test_too_many_requests_are_tried_again_when_the_server_says_so(system: LiveSystem) -> None:
    chat = system.chat()
    system.model.tell(chat.mark, Fail(429, {"Retry-After": str(RETRY_AFTER_SECONDS)}))

    ended = chat.ended_job(chat.append_until_due())

    first, second = system.model.calls(chat.mark)
    assert second.at - first.at >= RETRY_AFTER_SECONDS
    assert (ended["state"], ended["tries"]) == ("succeeded", 2)
    assert_a_models_summary_landed(system, chat)


@pytest.mark.parametrize(
    "faults",
    [[Fail(500), Fail(503)], [Cut()], [Hang()], [Drip()]],
    ids=["server errors", "a cut connection", "no answer", "a slow drip"],
)
def test_what_may_pass_is_tried_again(system: LiveSystem, faults: list[Answer]) -> None:
    chat = system.chat()
    system.model.tell(chat.mark, *faults)

    ended = chat.ended_job(chat.append_until_due())

    assert (ended["state"], ended["tries"]) == ("succeeded", 1 + len(faults))
    assert ended["error"] is None  # it did not fail, in the end
    assert len(system.model.calls(chat.mark)) == 1 + len(faults)
    assert_a_models_summary_landed(system, chat)


def test_while_it_waits_for_its_next_try_the_job_is_retrying_and_all_is_shown(system: LiveSystem) -> None:
    # A model of its own: all workers leave one alone that asks for it.
    chat = system.chat(policy=POLICY | {"model": "another-model"})
    system.model.tell(chat.mark, Fail(429, {"Retry-After": "60"}))
    job = chat.append_until_due()

    retrying = chat.job_in(job, "retrying")

    assert retrying["error"] == "the model answered 429"
    assert chat.head()["pending_job"] == job
    assert chat.append(1, filler=SHORT)["job"]["id"] == job
    assert chat.shown() == chat.logged() == chat.said
    assert system.findings(chat) == []


def test_a_bad_request_without_a_fallback_kills_the_job_and_harms_nothing(system: LiveSystem) -> None:
    chat = system.chat(policy=WITHOUT_FALLBACK)
    system.model.tell(chat.mark, Fail(400))

    ended = chat.ended_job(chat.append_until_due())

    assert (ended["state"], ended["tries"], ended["reason"]) == ("dead", 1, "refused")
    assert "the model answered 400" in ended["error"]
    assert len(system.model.calls(chat.mark)) == 1
    assert chat.head()["pending_job"] is None
    assert chat.shown() == chat.logged() == chat.said
    assert system.findings(chat) == []


def test_after_a_death_the_next_small_append_plans_nothing_and_half_as_much_again_does(system: LiveSystem) -> None:
    chat = system.chat(policy=WITHOUT_FALLBACK)
    system.model.tell(chat.mark, Fail(400))
    dead = chat.append_until_due()
    chat.ended_job(dead)

    small = chat.append(1, filler=SHORT)
    large = chat.append(30)

    assert small["job"] is None
    assert large["job"]["id"] != dead
    assert chat.ended_job(large["job"]["id"])["state"] == "succeeded"
    assert chat.logged() == chat.said
    assert_a_models_summary_landed(system, chat)


@pytest.mark.parametrize(
    ("answers", "calls"),
    [
        ([Say("I'm sorry, but I can't help with that."), Say("", refusal="I won't.")], 2),
        ([Say("   "), Say("")], 2),
        ([Say("NONE"), Say("...")], 2),
        ([Fail(400)], 1),
    ],
    ids=["refusals", "blank replies", "nothing said", "a bad request"],
)
def test_replies_that_are_no_summary_are_replaced_by_a_degraded_one(
    system: LiveSystem, answers: list[Answer], calls: int
) -> None:
    chat = system.chat()
    system.model.tell(chat.mark, *answers)

    ended = chat.ended_job(chat.append_until_due())

    (summary,) = system.summaries(chat)
    assert ended["state"] == "succeeded"
    assert len(system.model.calls(chat.mark)) == calls
    assert (summary["degraded"], summary["model"], len(summary["rejections"])) == (True, "extractive", calls)
    assert chat.shown()[0] == summary["text"]
    assert system.findings(chat) == []


def test_a_second_more_firmly_asked_for_reply_is_taken(system: LiveSystem) -> None:
    chat = system.chat()
    system.model.tell(chat.mark, Say("I'm sorry, but I can't help with that."))

    ended = chat.ended_job(chat.append_until_due())

    first, second = system.model.calls(chat.mark)
    assert first.body["messages"] != second.body["messages"]
    assert (ended["state"], ended["tries"]) == ("succeeded", 1)
    assert_a_models_summary_landed(system, chat)


def test_half_of_a_character_in_a_reply_does_no_harm(system: LiveSystem) -> None:
    chat = system.chat()
    system.model.tell(chat.mark, Say("The user is glad that the parcels are on their way \ud83d"))

    ended = chat.ended_job(chat.append_until_due())

    assert (ended["state"], ended["tries"]) == ("succeeded", 1)
    assert system.findings(chat) == []


def test_one_conversations_silent_model_holds_up_no_other(system: LiveSystem) -> None:
    silent, lively = system.chat(), system.chat()
    system.model.tell(silent.mark, Hang())
    held = silent.append_until_due()
    system.model.wait_for_call(silent.mark)

    ended = lively.ended_job(lively.append_until_due(), timeout_seconds=TIMEOUT_SECONDS)

    assert ended["state"] == "succeeded"
    assert silent.ended_job(held)["state"] == "succeeded"
