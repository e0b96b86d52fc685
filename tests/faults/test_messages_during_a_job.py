"""What is said while a summary is being made is all there, and the summary lands all the same."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.live_system import LiveSystem, live_system
from tests.support.model_server import Gate, Say
from turnfold.tokens import CharacterEstimatorTokenizer

MEANWHILE = 50
FILLED = 12


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSystem]:
    with live_system(tmp_path_factory.mktemp("system")) as running:
        running.start_worker()
        yield running


def test_fifty_messages_during_a_job_are_there_in_order_and_once(system: LiveSystem) -> None:
    chat, gate = system.chat(), Gate()
    system.model.tell(chat.mark, Say(gate=gate))
    job = chat.append_until_due()
    system.model.wait_for_call(chat.mark)

    answers = [chat.append(1) for _ in range(MEANWHILE)]
    shown_meanwhile = chat.shown()
    gate.open()

    assert chat.ended_job(job)["state"] == "succeeded"
    assert [answer["first"] for answer in answers] == list(range(FILLED + 1, FILLED + MEANWHILE + 1))
    assert [answer["revision"] for answer in answers] == list(range(2, MEANWHILE + 2))
    assert {answer["job"]["id"] for answer in answers} == {job}
    assert shown_meanwhile == chat.said
    assert chat.logged() == chat.said
    chat.wait_until_nothing_is_pending()
    assert system.findings(chat) == []


def test_revision_and_counts_are_right_once_all_has_landed(system: LiveSystem) -> None:
    chat, gate = system.chat(), Gate()
    system.model.tell(chat.mark, Say(gate=gate))
    job = chat.append_until_due()
    system.model.wait_for_call(chat.mark)
    for _ in range(MEANWHILE):
        chat.append(1)

    gate.open()
    chat.ended_job(job)
    chat.wait_until_nothing_is_pending()  # so much was said that another summary was due at once

    head, context, summaries = chat.head(), chat.context(), system.summaries(chat)
    count = CharacterEstimatorTokenizer().count_tokens
    assert head["revision"] == 1 + MEANWHILE
    assert head["counts"]["all"]["messages"] == len(chat.said)
    assert head["counts"]["all"]["tokens"] == sum(map(count, chat.said))
    assert head["counts"]["included"] == context["counts"]
    assert len(summaries) == 2
    covered = [position for summary in summaries for position in summary["positions"]]
    assert covered == list(range(1, len(covered) + 1))
    assert [m["content"] for m in context["messages"]] == [summaries[-1]["text"], *chat.said[len(covered) :]]
    assert system.findings(chat) == []


def test_a_job_whose_session_never_rests_lands_too(system: LiveSystem) -> None:
    chat, gate = system.chat(), Gate()
    system.model.tell(chat.mark, Say(gate=gate))
    job = chat.append_until_due()
    system.model.wait_for_call(chat.mark)

    gate.open()
    while chat.job(job)["state"] != "succeeded":  # every append moves the version that the commit is made on
        assert len(chat.said) < 5000, chat.job(job)
        chat.append(1, filler="yes")
    chat.wait_until_nothing_is_pending()

    assert chat.logged() == chat.said
    assert system.findings(chat) == []


def test_many_writers_at_once_lose_nothing_while_summaries_land(system: LiveSystem) -> None:
    chats = [system.chat() for _ in range(4)]

    def speak(number: int) -> None:
        for _ in range(MEANWHILE):
            chats[number].append(1)

    with ThreadPoolExecutor(len(chats)) as threads:
        list(threads.map(speak, range(len(chats))))

    for chat in chats:
        chat.wait_until_nothing_is_pending()
        assert chat.logged() == chat.said
        assert len(chat.shown()) < len(chat.said)
        assert system.findings(chat) == []


def test_an_erased_session_is_not_brought_back_by_its_job(system: LiveSystem) -> None:
    chat, gate = system.chat(), Gate()
    system.model.tell(chat.mark, Say(gate=gate))
    chat.append_until_due()
    call = system.model.wait_for_call(chat.mark)

    chat.erase()
    chat.append(3)
    gate.open()
    again = chat.append_until_due()

    assert chat.ended_job(again)["state"] == "succeeded"
    assert call.is_answered
    (summary,) = system.summaries(chat)
    assert summary["job"] == again
    assert chat.logged() == chat.said
    assert system.findings(chat) == []
