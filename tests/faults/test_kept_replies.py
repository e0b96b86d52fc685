"""A model's reply is kept until it is committed, for the very conversation that it was made from."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from tests.support.chat import Chat
from tests.support.live_system import LiveSystem, live_system
from turnfold.sessions.session_key import SessionKey


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSystem]:
    with live_system(tmp_path_factory.mktemp("system")) as running:
        running.start_worker()
        yield running


def neighbour_of(system: LiveSystem, chat: Chat) -> Chat:
    """A conversation in the same shard of the store, whose messages are as long as the other's."""
    shard = SessionKey("default", chat.session).shard
    ids = (f"chat-{number:08x}" for number in itertools.count())
    return system.chat(mark=next(name for name in ids if SessionKey("default", name).shard == shard))


def test_a_conversation_of_the_same_shape_in_the_same_shard_gets_its_own_summary(system: LiveSystem) -> None:
    first = system.chat()
    first.ended_job(first.append_until_due())
    second = neighbour_of(system, first)

    second.ended_job(second.append_until_due())

    assert len(system.model.calls(second.mark)) == 1
    assert first.shown()[0] != second.shown()[0]
    assert system.findings(second) == []


def test_a_session_that_was_erased_and_made_again_gets_no_summary_of_what_was_erased(system: LiveSystem) -> None:
    chat = system.chat()
    chat.ended_job(chat.append_until_due())
    erased = chat.shown()[0]

    chat.erase()
    chat.ended_job(chat.append_until_due())

    assert len(system.model.calls(chat.mark)) == 2
    assert chat.shown()[0] != erased
    assert system.findings(chat) == []
