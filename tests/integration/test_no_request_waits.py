"""While a summary is made, requests go on; the next turn after it has landed uses it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.live_system import LiveSystem, live_system
from tests.support.model_server import Say, summary_number

SUMMARY_SECONDS = 3.0
SLOWEST_REQUEST_SECONDS = 0.3
# Few and short enough for no further summary to be due.
TURNS = 15
CONTEXTS = 3
SHORT = "yes"


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSystem]:
    folder: Path = tmp_path_factory.mktemp("system")
    with live_system(folder) as running:
        running.start_worker()
        yield running


def test_appends_and_contexts_go_on_while_a_model_takes_three_seconds(system: LiveSystem) -> None:
    chat = system.chat()
    system.model.tell(chat.mark, Say(after_seconds=SUMMARY_SECONDS))

    job = chat.append_until_due()
    call = system.model.wait_for_call(chat.mark)
    chat.seconds.clear()
    for _ in range(TURNS):
        chat.append(1, filler=SHORT)
        for _ in range(CONTEXTS):
            assert chat.shown() == chat.said

    assert not call.is_answered  # all of it happened while the model was at work
    assert len(chat.seconds) == TURNS * (1 + CONTEXTS)
    assert max(chat.seconds) < SLOWEST_REQUEST_SECONDS, sorted(chat.seconds)[-5:]
    ended = chat.ended_job(job)
    assert ended["state"] == "succeeded"
    assert ended["timings"]["finished_at_ms"] - ended["timings"]["started_at_ms"] >= SUMMARY_SECONDS * 1000
    chat.append(1, filler=SHORT)
    assert summary_number(call.number) in chat.shown()[0]
    assert chat.logged() == chat.said
    assert system.findings(chat) == []


def test_the_next_turn_uses_the_summary_that_has_landed(system: LiveSystem) -> None:
    chat = system.chat()
    job = chat.append_until_due()
    before = chat.context()["counts"]["tokens"]
    chat.ended_job(job)

    chat.append(1, filler=SHORT)
    after = chat.context()

    summary, *rest = [message["content"] for message in after["messages"]]
    assert summary_number(system.model.calls(chat.mark)[0].number) in summary
    assert rest == chat.said[-len(rest) :]
    assert after["counts"]["tokens"] < before
    assert chat.logged() == chat.said
    assert system.findings(chat) == []


def test_a_request_may_ask_to_wait_and_then_has_the_summary(system: LiveSystem) -> None:
    chat = system.chat()
    job = chat.append_until_due()

    shown = chat.shown(wait_ms=20_000)

    assert chat.job(job)["state"] == "succeeded"
    assert len(shown) < len(chat.said)
    assert system.findings(chat) == []
