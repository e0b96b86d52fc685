"""A conversation store that a session follows."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed here: `make adapters` runs this")

from pydantic_ai.conversation import Conversation
from pydantic_ai.conversation_store import ConversationConflict, InMemoryConversationStore
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart

from tests.adapters.behaviour import POLICY
from tests.support.sessions import LONG, Desk
from turnfold.adapters.pydantic_ai import FollowedConversationStore
from turnfold.sessions.memory_store import MemoryStore

NAME = "user-42"


@pytest.fixture
def desk() -> Desk:
    return Desk(MemoryStore(), POLICY)


def store_of(desk: Desk, inner: Any = None) -> FollowedConversationStore:
    return FollowedConversationStore(inner or InMemoryConversationStore(), turnfold=desk.service)


def messages(turns: int) -> list[ModelMessage]:
    told: list[ModelMessage] = []
    for number in range(1, turns + 1):
        told.append(ModelRequest(parts=[UserPromptPart(f"Turn {number}. {LONG}")]))
        told.append(ModelResponse(parts=[TextPart(f"Answer {number}. {LONG}")]))
    return told


async def test_what_is_saved_is_whole_in_it_and_folded_in_its_session(desk: Desk) -> None:
    inner = InMemoryConversationStore()
    store = store_of(desk, inner)
    given = messages(8)
    await store.save(Conversation(messages=list(given), conversation_id=NAME))

    assert await desk.work() > 0

    loaded, kept = await store.load(NAME), await inner.load(NAME)
    assert loaded is not None
    assert kept is not None
    assert loaded.messages == kept.messages == given
    turn = await desk.service.context(NAME)
    assert turn.messages[0].text.startswith("[Summary]")


async def test_a_save_that_comes_second_is_refused_as_by_the_store_within(desk: Desk) -> None:
    store = store_of(desk)
    await store.save(Conversation(messages=messages(1), conversation_id=NAME))
    with pytest.raises(ConversationConflict):
        await store.save(Conversation(messages=messages(2), conversation_id=NAME))
    read = await desk.service.messages(NAME)
    assert len(read.entries) == 2


async def test_forks_and_branches_go_on_by_themselves(desk: Desk) -> None:
    store = store_of(desk)
    await store.save(Conversation(messages=messages(3), conversation_id=NAME))
    fork = await store.fork(NAME, at=2, new_conversation_id="fork")
    fork.messages.append(ModelRequest(parts=[UserPromptPart("Another way.")]))
    await store.save(fork)
    assert len((await desk.service.messages("fork")).entries) == 3
    assert [record.conversation_id for record in await store.list_conversations()] == ["fork", NAME]


async def test_a_deleted_conversation_is_erased(desk: Desk) -> None:
    store = store_of(desk)
    await store.save(Conversation(messages=messages(2), conversation_id=NAME))
    await store.delete(NAME)
    assert await store.load(NAME) is None
    assert await desk.store.list_sessions("default", None, 10) == []
