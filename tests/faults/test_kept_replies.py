"""A model's reply is kept until it is committed, for the very conversation that it was made from."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
import redis

from tests.support.chat import Chat
from tests.support.live_system import LiveSystem, live_system
from tests.support.model_server import Gate, Say
from tests.support.waiting import wait_until
from turnfold.sessions.session_key import SessionKey

REDIS: Any = redis.Redis  # the types of its methods are full of holes


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


def test_a_reply_that_comes_after_its_conversation_was_erased_is_not_kept(system: LiveSystem) -> None:
    chat, gate = system.chat(), Gate()
    system.model.tell(chat.mark, Say(gate=gate))
    job = chat.append_until_due()
    system.model.wait_for_call(chat.mark)
    assert names_in(system, chat, job)

    chat.erase()
    gate.open()
    wait_until(lambda: is_over(system, job), description="the worker is done with the job")

    assert names_in(system, chat, job) == []


def is_over(system: LiveSystem, job: str) -> bool:
    lines = (line for part in system.parts for line in part.log().splitlines())
    return any("job.superseded" in line and job in line for line in lines)


def names_in(system: LiveSystem, chat: Chat, job: str) -> list[str]:
    """Keys of the store that hold something of this conversation, by their names or what they say."""
    with REDIS.from_url(system.store.redis_url, decode_responses=True) as client:
        names = [name for name in client.keys("*") if chat.session in name or job in name]
        replies = [name for name in client.keys("*:res:*") if ":".join(name.split(":")[:2]) == f"{{tf:{job[:3]}}}"]
        return sorted({*names, *replies})
