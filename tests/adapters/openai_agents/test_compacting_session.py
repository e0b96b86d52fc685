"""What a session of openai-agents does beyond turns: limits, items that are taken back, pieces of turns, clearing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("agents", reason="openai-agents is not installed here: `make adapters` runs this")

from agents import SQLiteSession
from agents.memory import Session, SessionSettings
from agents.models.chatcmpl_converter import Converter

from tests.adapters.behaviour import POLICY
from tests.support.sessions import LONG, Desk
from turnfold.adapters.openai_agents import CompactingSession
from turnfold.sessions.memory_store import MemoryStore

NAME = "user-42"


@pytest.fixture
def desk() -> Desk:
    return Desk(MemoryStore(), POLICY)


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[SQLiteSession]:
    session = SQLiteSession(NAME, tmp_path / "chats.db")
    yield session
    session.close()


def session_of(kept: SQLiteSession, desk: Desk) -> CompactingSession:
    return CompactingSession(kept, turnfold=desk.service)


def turn(number: int) -> list[Any]:
    """User, call, result, answer, as a model that gives no ids leaves them."""
    return [
        {"role": "user", "content": f"Turn {number}"},
        {"type": "function_call", "call_id": f"c{number}", "name": "f", "arguments": "{}", "id": "__fake_id__"},
        {"type": "function_call_output", "call_id": f"c{number}", "output": LONG},
        {
            "type": "message", "role": "assistant", "id": "__fake_id__", "status": "completed",
            "content": [{"type": "output_text", "text": f"Answer {number}. {LONG}", "annotations": []}],
        },
    ]  # fmt: skip


async def fold(session: CompactingSession, desk: Desk) -> list[Any]:
    """Five turns, of which the older are folded; all items."""
    items = [item for number in range(1, 6) for item in turn(number)]
    await session.add_items(items)
    assert await desk.work() > 0
    return items


def test_it_is_a_session_in_the_eyes_of_the_sdk(kept: SQLiteSession, desk: Desk) -> None:
    session = session_of(kept, desk)
    assert isinstance(session, Session)
    assert session.session_id == NAME


async def test_what_is_shown_of_the_history_is_the_very_items(kept: SQLiteSession, desk: Desk) -> None:
    session = session_of(kept, desk)
    items = await fold(session, desk)

    summary, *tail = await session.get_items()

    assert set(summary) == {"role", "content"}
    assert tail == items[-len(tail) :]


async def test_with_a_limit_the_newest_items_come_as_they_were_stored(kept: SQLiteSession, desk: Desk) -> None:
    session = session_of(kept, desk)
    items = await fold(session, desk)
    for limit in (1, 2, 5, 100):
        assert await session.get_items(limit=limit) == items[-limit:]


async def test_an_item_that_is_taken_back_is_gone_for_the_model_too(kept: SQLiteSession, desk: Desk) -> None:
    session = session_of(kept, desk)
    items = await fold(session, desk)
    assert await session.pop_item() == items[-1]
    assert (await session.get_items())[-1] == items[-2]


async def test_a_turn_that_is_taken_back_and_tried_again_begins_no_branch(kept: SQLiteSession, desk: Desk) -> None:
    session = session_of(kept, desk)
    items = await fold(session, desk)
    again: Any = {"role": "user", "content": "And now?"}
    for _ in range(2):
        await session.add_items([again])
        await session.pop_item()
    await session.add_items([again])
    assert (await session.get_items())[-2:] == [items[-1], again]
    assert len(await desk.store.list_sessions("default", None, 10)) == 1


async def test_another_item_in_its_place_begins_a_branch(kept: SQLiteSession, desk: Desk) -> None:
    session = session_of(kept, desk)
    items = turn(1) + turn(2)
    await session.add_items(items)
    await session.pop_item()
    other: Any = {"role": "user", "content": "Never mind."}

    await session.add_items([other])

    assert await session.get_items() == [*items[:-1], other]
    assert len(await desk.store.list_sessions("default", None, 10)) == 2


async def test_a_turn_that_comes_in_pieces_is_followed_as_one(kept: SQLiteSession, desk: Desk) -> None:
    session = session_of(kept, desk)
    user, call, result, answer = turn(1)
    other = {**call, "call_id": "other"}
    items: list[Any] = [user, call, other, result, {**result, "call_id": "other"}, answer]
    for item in items:
        await session.add_items([item])
        assert await session.get_items() == await kept.get_items()
    assert len(await desk.store.list_sessions("default", None, 10)) == 1
    read = await desk.service.messages(NAME)
    assert [entry.message.role for entry in read.entries.values()] == ["user", "assistant", "tool", "tool", "assistant"]


async def test_a_session_s_own_limit_bounds_what_follows_the_summary(tmp_path: Path, desk: Desk) -> None:
    kept = SQLiteSession(NAME, tmp_path / "chats.db", session_settings=SessionSettings(limit=3))
    session = session_of(kept, desk)
    items = await fold(session, desk)

    summary, *tail = await session.get_items()

    assert "[Summary]" in str(summary)
    assert tail == items[-3:]  # the user's message of that turn would be a fourth
    read = await desk.service.messages(NAME, limit=100)
    assert len(read.entries) == len(items)
    kept.close()


async def test_reasoning_stays_with_what_follows_it(kept: SQLiteSession, desk: Desk) -> None:
    session = session_of(kept, desk)
    await fold(session, desk)
    thought: Any = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}
    _, call, result, answer = turn(9)
    items: list[Any] = [{"role": "user", "content": "Turn 9"}, thought, call, result, answer]
    await session.add_items(items)
    assert (await session.get_items())[-5:] == items


async def test_items_of_an_unknown_kind_are_shown_as_they_are(kept: SQLiteSession, desk: Desk) -> None:
    session = session_of(kept, desk)
    items: list[Any] = [*turn(1), {"type": "something_new", "id": "x"}]
    await session.add_items(items)
    assert await session.get_items() == items


async def test_chat_completions_takes_what_is_shown(kept: SQLiteSession, desk: Desk) -> None:
    session = session_of(kept, desk)
    await fold(session, desk)
    messages = Converter.items_to_messages(await session.get_items())
    assert messages[0]["role"] == "user"
    assert {message["role"] for message in messages} == {"user", "assistant", "tool"}


async def test_a_cleared_session_is_forgotten(kept: SQLiteSession, desk: Desk) -> None:
    session = session_of(kept, desk)
    await fold(session, desk)
    await session.clear_session()
    assert await session.get_items() == []
    assert await desk.store.list_sessions("default", None, 10) == []


async def test_a_history_of_before_can_be_followed_ahead_of_its_first_turn(kept: SQLiteSession, desk: Desk) -> None:
    await kept.add_items([item for number in range(1, 6) for item in turn(number)])
    session = session_of(kept, desk)
    await session.follow()
    assert await desk.work() > 0
    assert "[Summary]" in str((await session.get_items())[0])
