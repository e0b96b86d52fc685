"""What providers do around a run."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from tests.support.agents import Model, calls, texts
from turnfold import Agent, AgentSession, ContextProvider, HistoryProvider, InMemoryHistoryProvider, SessionContext
from turnfold.errors import BadInput


class Preferences(ContextProvider):
    """Remembers what the user likes."""

    def __init__(self) -> None:
        super().__init__("preferences")

    async def before_run(
        self, *, agent: Any, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        if favourite := state.get("favourite"):
            context.extend_instructions(self.source_id, f"The user likes {favourite}.")

    async def after_run(
        self, *, agent: Any, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        for message in context.input_messages:
            if "I like " in message.text:
                state["favourite"] = message.text.split("I like ", 1)[1].rstrip(".")


class Memory(ContextProvider):
    """Puts a message into each run."""

    async def before_run(
        self, *, agent: Any, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        context.extend_messages(self, [{"role": "user", "content": f"remembered by {self.source_id}"}])


async def test_a_provider_learns_from_one_run_and_adds_to_the_next_through_the_session() -> None:
    model = Model()
    agent = Agent(model, "Be brief.", context_providers=[Preferences()])
    one, other = agent.create_session(), agent.create_session()

    await agent.run("I like tea.", session=one)
    await agent.run("What do I like?", session=other)
    await agent.run("What do I like?", session=one)

    assert [sent[0]["content"] for sent in model.sent] == ["Be brief.", "Be brief.", "Be brief.\n\nThe user likes tea."]
    assert one.state["preferences"] == {"favourite": "tea"}


async def test_messages_of_providers_stand_behind_the_history_and_before_what_is_said() -> None:
    model = Model()
    agent = Agent(model, context_providers=[Memory("m1"), InMemoryHistoryProvider(), Memory("m2")])
    session = agent.create_session()

    await agent.run("one", session=session)
    await agent.run("two", session=session)

    assert model.last == ["one", "ok", "remembered by m1", "remembered by m2", "two"]


async def test_what_a_provider_adds_is_for_the_run_and_not_stored() -> None:
    history = InMemoryHistoryProvider()
    agent = Agent(Model(), context_providers=[history, Memory("m1")])
    session = agent.create_session()
    await agent.run("one", session=session)
    assert texts(history.get_messages(session)) == ["one", "ok"]


async def test_a_provider_may_add_a_tool_to_a_run() -> None:
    class Clock(ContextProvider):
        async def before_run(
            self, *, agent: Any, session: AgentSession, context: SessionContext, state: dict[str, Any]
        ) -> None:
            def what_time() -> str:
                return "noon"

            context.extend_tools(self.source_id, [what_time])

    model = Model([calls(("what_time", {})), "It is noon."])
    response = await Agent(model, context_providers=[Clock("clock")]).run("time?")
    assert texts(response.messages)[1:] == ["noon", "It is noon."]


async def test_a_provider_that_fails_afterwards_costs_neither_turn_nor_reply(caplog: pytest.LogCaptureFixture) -> None:
    class Failing(ContextProvider):
        async def after_run(
            self, *, agent: Any, session: AgentSession, context: SessionContext, state: dict[str, Any]
        ) -> None:
            raise RuntimeError("no")

    history = InMemoryHistoryProvider()
    agent = Agent(Model(), context_providers=[Failing("failing"), history, Preferences()])
    session = agent.create_session()

    with caplog.at_level(logging.ERROR):
        response = await agent.run("I like tea.", session=session)

    assert response.text == "ok"
    assert texts(history.get_messages(session)) == ["I like tea.", "ok"]
    assert session.state["preferences"] == {"favourite": "tea"}
    assert "agent.provider_failed" in caplog.text


async def test_a_provider_that_keeps_nothing_leaves_no_trace_in_the_session() -> None:
    agent = Agent(Model(), context_providers=[Memory("m1")])
    session = agent.create_session()
    await agent.run("one", session=session)
    assert list(session.state) == ["in_memory"]


def test_two_providers_of_one_name_are_refused() -> None:
    with pytest.raises(BadInput, match="source id 'a'"):
        Agent(Model(), context_providers=[Memory("a"), Memory("a")])


def test_two_histories_that_load_are_refused_when_the_agent_is_built() -> None:
    with pytest.raises(ValueError, match="'one' and 'two' both load history"):
        Agent(Model(), context_providers=[InMemoryHistoryProvider("one"), InMemoryHistoryProvider("two")])


async def test_a_provider_of_the_advanced_form_overrides_both_hooks() -> None:
    class Advanced(HistoryProvider):
        def __init__(self) -> None:
            super().__init__("advanced")
            self.log: list[str] = []

        async def before_run(
            self, *, agent: Any, session: AgentSession, context: SessionContext, state: dict[str, Any]
        ) -> None:
            context.extend_messages(self, [{"role": "user", "content": text} for text in self.log])

        async def after_run(
            self, *, agent: Any, session: AgentSession, context: SessionContext, state: dict[str, Any]
        ) -> None:
            assert context.response is not None
            self.log += texts([*context.input_messages, *context.response.messages])

    model, history = Model(), Advanced()
    agent = Agent(model, context_providers=[history])
    session = agent.create_session()
    await agent.run("one", session=session)
    await agent.run("two", session=session)
    assert model.last == ["one", "ok", "two"]
    assert history.log == ["one", "ok", "two", "ok"]
    assert "in_memory" not in session.state


async def test_a_provider_of_neither_form_says_what_to_override() -> None:
    agent = Agent(Model(), context_providers=[HistoryProvider("bare")])
    with pytest.raises(NotImplementedError, match="get_messages"):
        await agent.run("one", session=agent.create_session())
