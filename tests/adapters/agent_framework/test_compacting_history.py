"""What a history provider of the Agent Framework does beyond turns: its settings, marks of others, its own state."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("agent_framework", reason="agent-framework is not installed here: `make adapters` runs this")

from agent_framework import Agent, AgentSession, Content, InMemoryHistoryProvider, Message

from tests.adapters.agent_framework.framework_talk import FrameworkTalk, ScriptedClient, lookup, told_by
from tests.adapters.behaviour import POLICY
from tests.adapters.talk import told_in, turn
from tests.support.sessions import LONG, Desk
from turnfold.adapters.agent_framework import CompactingHistory
from turnfold.sessions.memory_store import MemoryStore


@pytest.fixture
def desk() -> Desk:
    return Desk(MemoryStore(), POLICY)


def history_of(desk: Desk, **settings: Any) -> CompactingHistory:
    return CompactingHistory(InMemoryHistoryProvider(**settings), turnfold=desk.service)


def messages_of(number: int) -> list[Message]:
    """User, two calls at once, their results in one message, answer."""
    ids = [f"c{number}a", f"c{number}b"]
    return [
        Message("user", [f"Turn {number}"]),
        Message("assistant", [Content.from_function_call(name, "f", arguments="{}") for name in ids]),
        Message("tool", [Content.from_function_result(name, result=LONG) for name in ids]),
        Message("assistant", [f"Answer {number}. {LONG}"]),
    ]


async def saved(history: CompactingHistory, desk: Desk, turns: int) -> tuple[dict[str, Any], list[Message]]:
    state: dict[str, Any] = {}
    messages = [message for number in range(1, turns + 1) for message in messages_of(number)]
    await history.save_messages("user-42", messages, state=state)
    await desk.work()
    return state, messages


def test_it_has_the_settings_of_the_provider_within(desk: Desk) -> None:
    history = history_of(desk, source_id="mine", load_messages=False, store_inputs=False)
    assert (history.source_id, history.load_messages, history.store_inputs) == ("mine", False, False)
    assert history.store_outputs


def test_a_provider_that_hides_messages_by_itself_is_refused(desk: Desk) -> None:
    with pytest.raises(ValueError, match="skip excluded"):
        history_of(desk, skip_excluded=True)


async def test_what_is_shown_of_the_history_is_the_very_messages(desk: Desk) -> None:
    history = history_of(desk)
    state, messages = await saved(history, desk, 5)

    summary, *tail = await history.get_messages("user-42", state=state)

    assert summary.text.startswith("[Summary]")
    assert all(one is other for one, other in zip(tail, messages[-len(tail) :], strict=True))
    assert state["messages"] == messages


async def test_a_mark_by_which_another_strategy_hid_a_message_hides_nothing(desk: Desk) -> None:
    history = history_of(desk)
    state, messages = await saved(history, desk, 1)
    messages[1].additional_properties["_excluded"] = True

    shown = await history.get_messages("user-42", state=state)

    assert told_by(shown) == told_by(messages)
    assert not any(message.additional_properties.get("_excluded") for message in shown)
    assert messages[1].additional_properties["_excluded"]  # the history itself is not ours to change


async def test_without_a_session_id_nothing_is_stored(desk: Desk) -> None:
    history = history_of(desk)
    state: dict[str, Any] = {}
    await history.save_messages(None, messages_of(1), state=state)
    assert len(await history.get_messages(None, state=state)) == 4
    assert await desk.store.list_sessions("default", None, 10) == []


async def test_a_session_that_was_written_down_goes_on_with_its_summary(desk: Desk, tmp_path: Any) -> None:
    talk = FrameworkTalk(tmp_path, desk.service)
    agent = Agent(ScriptedClient(talk), tools=[lookup], context_providers=[history_of(desk)])
    session = agent.create_session()
    for number in range(1, 5):
        await agent.run(turn(number), session=session)
        await desk.work()

    session = AgentSession.from_dict(session.to_dict())
    await agent.run(turn(5), session=session)

    assert talk.seen[-1][0].text.startswith("[Summary]")
    assert told_by(session.state["in_memory"]["messages"]) == told_in(range(1, 6))
    assert len(await desk.store.list_sessions("default", None, 10)) == 1


async def test_history_that_is_kept_after_each_call_is_followed_too(desk: Desk, tmp_path: Any) -> None:
    talk = FrameworkTalk(tmp_path, desk.service)
    agent = Agent(
        ScriptedClient(talk),
        tools=[lookup],
        context_providers=[history_of(desk)],
        require_per_service_call_history_persistence=True,
    )
    session = agent.create_session()
    for number in range(1, 6):
        await agent.run(turn(number), session=session)
        await desk.work()

    assert talk.seen[-1][0].text.startswith("[Summary]")
    assert told_by(session.state["in_memory"]["messages"]) == told_in(range(1, 6))
    assert len(await desk.store.list_sessions("default", None, 10)) == 1


async def test_a_forgotten_session_is_erased(desk: Desk) -> None:
    history = history_of(desk)
    await saved(history, desk, 2)
    await history.forget("user-42")
    assert await desk.store.list_sessions("default", None, 10) == []


async def test_a_history_of_before_can_be_followed_ahead_of_its_first_turn(desk: Desk) -> None:
    state = {"messages": [message for number in range(1, 6) for message in messages_of(number)]}
    history = history_of(desk)
    await history.follow("user-42", state=state)
    assert await desk.work() > 0
    assert (await history.get_messages("user-42", state=state))[0].text.startswith("[Summary]")
