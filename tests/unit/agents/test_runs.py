"""A run: instructions, options, input, failure."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.agents import Model, roles, texts
from turnfold import (
    Agent,
    AgentResponse,
    AgentSession,
    ContextProvider,
    InMemoryHistoryProvider,
    Message,
    OpenAIChatClient,
    SessionContext,
)
from turnfold.errors import BadInput
from turnfold.testing import ScriptedModel


async def test_instructions_go_first_with_each_call_and_are_no_part_of_the_history() -> None:
    model = Model()
    agent = Agent(model, name="clerk", instructions="Be brief.")
    session = agent.create_session()
    await agent.run("one", session=session)
    await agent.run("two", session=session)
    assert model.last == ["Be brief.", "one", "ok", "two"]
    assert texts(InMemoryHistoryProvider().get_messages(session)) == ["one", "ok", "two", "ok"]


async def test_a_response_has_messages_a_text_and_prints_as_its_text() -> None:
    response = await Agent(Model()).run("one")
    assert isinstance(response, AgentResponse)
    assert (response.text, str(response), roles(response.messages), response.calls) == ("ok", "ok", ["assistant"], 1)


@pytest.mark.parametrize(
    "said",
    [
        "one",
        {"role": "user", "content": "one"},
        Message(role="user", content="one"),
        ["one"],
        [{"role": "user", "content": "one"}],
    ],
)
async def test_a_text_a_message_and_lists_of_them_are_input(said: Any) -> None:
    model = Model()
    await Agent(model).run(said)
    assert model.sent == [[{"role": "user", "content": "one"}]]


async def test_input_that_is_not_valid_is_refused_before_any_call() -> None:
    model = Model()
    with pytest.raises(BadInput, match=r"input\[0\]\.tool_call_id"):
        await Agent(model).run([{"role": "tool", "content": "result"}])
    assert model.sent == []


async def test_the_caller_s_messages_are_not_changed() -> None:
    said = Message(role="user", content="one")
    agent = Agent(Model())
    session = agent.create_session()
    await agent.run(said, session=session)
    assert (said, said.metadata) == ({"role": "user", "content": "one"}, {})


async def test_options_of_a_run_go_over_the_agent_s() -> None:
    model = Model()
    agent = Agent(model, default_options={"temperature": 0.1, "max_tokens": 5})
    await agent.run("one", options={"temperature": 0.9})
    assert model.options == [{"temperature": 0.9, "max_tokens": 5}]


async def test_a_failed_run_stores_nothing() -> None:
    model = Model(failing=[2])
    agent = Agent(model)
    session = agent.create_session()
    await agent.run("one", session=session)
    before = session.to_dict()

    with pytest.raises(ConnectionError):
        await agent.run("two", session=session)

    assert session.to_dict() == before
    await agent.run("three", session=session)
    assert model.last == ["one", "ok", "three"]


async def test_messages_are_stored_once_however_often_they_are_loaded() -> None:
    history = InMemoryHistoryProvider()
    agent = Agent(Model(), context_providers=[history])
    session = agent.create_session()
    for n in range(5):
        await agent.run(str(n), session=session)
    assert texts(history.get_messages(session)) == [text for n in range(5) for text in (str(n), "ok")]


@pytest.mark.parametrize(
    "answer",
    [
        "said",
        {"role": "assistant", "content": "said"},
        {"text": "said"},
        type("Reply", (), {"text": "said", "model": "m"})(),
        type("Reply", (), {"messages": [{"role": "assistant", "content": "said"}]})(),
    ],
)
async def test_a_client_of_one_s_own_may_answer_in_many_shapes(answer: Any) -> None:
    class Own:
        async def get_response(self, messages: Any, *, options: Any = None) -> Any:
            return answer

    assert (await Agent(Own()).run("one")).text == "said"


def test_what_is_no_client_is_refused() -> None:
    with pytest.raises(TypeError, match="client: give a ChatClient"):
        Agent(object())


async def test_a_run_that_is_cancelled_stores_nothing() -> None:
    waiting = asyncio.Event()

    class Hangs:
        async def get_response(self, messages: Any, *, options: Any = None) -> Any:
            waiting.set()
            await asyncio.Event().wait()

    agent = Agent(Hangs())
    session = agent.create_session()
    before = session.to_dict()
    run = asyncio.create_task(agent.run("one", session=session))
    await waiting.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert session.to_dict() == before


async def test_runs_of_one_session_at_once_lose_nothing_that_providers_keep() -> None:
    met = asyncio.Barrier(2)

    class Slow(ContextProvider):
        async def before_run(
            self, *, agent: Any, session: AgentSession, context: SessionContext, state: dict[str, Any]
        ) -> None:
            await met.wait()
            state[context.input_messages[0].text] = True

    history = InMemoryHistoryProvider()
    agent = Agent(Model(), context_providers=[history, Slow("slow")])
    session = agent.create_session()
    await asyncio.gather(*(agent.run(text, session=session) for text in ("one", "two")))
    assert session.state["slow"] == {"one": True, "two": True}
    assert len(history.get_messages(session)) == 4


async def test_a_reply_that_was_cut_off_says_so() -> None:
    with ScriptedModel(["ok"]) as model:
        client = OpenAIChatClient(model.name, base_url=model.base_url)
        assert (await client.as_agent().run("one")).finish_reason == "stop"
        await client.close()
