"""History that is written after each model call."""

from __future__ import annotations

import pytest

from tests.support.agents import Model, broken_pairs, calls, roles, texts
from tests.unit.history.test_history_providers import Database
from turnfold import Agent, AgentSession, InMemoryHistoryProvider, Message


def look() -> str:
    return "found"


async def test_history_is_written_after_each_call_and_is_in_the_end_the_same() -> None:
    stored: list[list[str]] = []
    for each_call, writes in ((True, [2, 2, 2]), (False, [6])):
        database = Database()
        agent = Agent(
            Model([calls(("look", {})), calls(("look", {}), number=2), "done"]),
            tools=[look],
            context_providers=[database],
            require_per_service_call_history_persistence=each_call,
        )
        await agent.run("go", session=AgentSession(session_id="s"))
        assert [len(save) for save in database.saves] == writes
        stored.append(texts(database.rows["s"]))
    assert stored[0] == stored[1] == ["go", "None", "found", "None", "found", "done"]


async def test_what_was_written_before_a_failure_stays_and_the_dangling_call_is_not_sent() -> None:
    model = Model([calls(("look", {})), calls(("look", {}), number=2), "fine"], failing=[2])
    history = InMemoryHistoryProvider()
    agent = Agent(model, tools=[look], context_providers=[history], require_per_service_call_history_persistence=True)
    session = agent.create_session()
    with pytest.raises(ConnectionError):
        await agent.run("go", session=session)
    assert roles(history.get_messages(session)) == ["user", "assistant"]

    model.replies = ["fine"]
    await agent.run("and now?", session=AgentSession.from_dict(session.to_dict()))

    assert model.last == ["go", "and now?"]
    assert broken_pairs(model.sent[-1]) == []


async def test_a_failure_of_the_first_call_stores_nothing() -> None:
    history = InMemoryHistoryProvider()
    agent = Agent(Model(failing=[1]), context_providers=[history], require_per_service_call_history_persistence=True)
    session = agent.create_session()
    with pytest.raises(ConnectionError):
        await agent.run("go", session=session)
    assert history.get_messages(session) == []


async def test_a_dangling_call_of_parallel_ones_is_repaired_too() -> None:
    model, history = Model(["fine"]), InMemoryHistoryProvider()
    agent = Agent(model, context_providers=[history])
    session = agent.create_session()
    await history.save_messages(
        session,
        [
            Message(role="user", content="go"),
            Message(calls(("a", {}), ("b", {}))),
            Message(role="tool", tool_call_id="call_1_0", content="half"),
        ],
    )
    await agent.run("and now?", session=session)
    assert model.last == ["go", "and now?"]


async def test_results_of_a_last_round_that_no_call_took_are_written_at_the_end() -> None:
    schema = {"type": "function", "function": {"name": "ask_user", "parameters": {"type": "object"}}}
    database = Database()
    agent = Agent(
        Model([calls(("look", {})), calls(("ask_user", {}), number=2)]),
        tools=[look, schema],
        context_providers=[database],
        require_per_service_call_history_persistence=True,
    )
    response = await agent.run("go", session=AgentSession(session_id="s"))
    assert response.pending_tool_call_ids == ["call_2_0"]
    assert roles(database.rows["s"]) == ["user", "assistant", "tool", "assistant"]


async def test_an_audit_records_each_call_once() -> None:
    audit = InMemoryHistoryProvider("audit", load_messages=False, store_context_messages=True)
    agent = Agent(
        Model([calls(("look", {})), "done"]),
        tools=[look],
        context_providers=[InMemoryHistoryProvider(), audit],
        require_per_service_call_history_persistence=True,
    )
    session = agent.create_session()
    await agent.run("go", session=session)
    assert roles(audit.get_messages(session)) == ["user", "assistant", "tool", "assistant"]
