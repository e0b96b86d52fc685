"""6. An agent: a client, instructions, tools; sessions, histories, and compaction around each call of the model."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from turnfold import (
    AgentSession,
    CompactionProvider,
    FileSessionStore,
    InMemoryHistoryProvider,
    OpenAIChatClient,
    SlidingWindowStrategy,
    create_harness_agent,
)
from turnfold.testing import Calls, ScriptedModel


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    """A model on this machine: it calls the tool that it is given, and then says what it found."""
    with ScriptedModel([Calls.one("track", crate="DK-99812"), "It is at sea.", "Since Tuesday."]) as started:
        yield started


def track(crate: str) -> str:
    """Tells where a crate is.

    Args:
        crate: its number.
    """
    return f"{crate}: at sea"


async def test_an_agent_answers_the_model_s_calls_until_there_are_none(model: ScriptedModel) -> None:
    agent = OpenAIChatClient(model.name, base_url=model.base_url).as_agent(instructions="Be brief.", tools=[track])

    response = await agent.run("Where is my crate?")

    assert response.text == "It is at sea."
    assert [message.role for message in response.messages] == ["assistant", "tool", "assistant"]


async def test_a_session_remembers(model: ScriptedModel) -> None:
    agent = OpenAIChatClient(model.name, base_url=model.base_url).as_agent(tools=[track])
    session = agent.create_session()

    await agent.run("Where is my crate?", session=session)
    await agent.run("Since when?", session=session)

    assert model.requests[-1].texts == ["Where is my crate?", "", "DK-99812: at sea", "It is at sea.", "Since when?"]


async def test_a_session_is_a_value_that_a_store_keeps_whole(model: ScriptedModel, tmp_path: object) -> None:
    agent = OpenAIChatClient(model.name, base_url=model.base_url).as_agent(tools=[track])
    store = FileSessionStore(str(tmp_path))
    session = agent.create_session()
    await agent.run("Where is my crate?", session=session)
    await store.set("user-42", session)

    resumed = await store.get("user-42")
    assert isinstance(resumed, AgentSession)
    await agent.run("Since when?", session=resumed)

    assert len(model.requests[-1].messages) == 5


async def test_compaction_changes_what_is_sent_and_never_what_is_stored(model: ScriptedModel) -> None:
    history = InMemoryHistoryProvider()
    agent = OpenAIChatClient(model.name, base_url=model.base_url).as_agent(
        tools=[track],
        context_providers=[history, CompactionProvider(before_strategy=SlidingWindowStrategy(keep_last_groups=1))],
    )
    session = agent.create_session()
    await agent.run("Where is my crate?", session=session)
    await agent.run("Since when?", session=session)

    assert model.requests[-1].texts == ["It is at sea.", "Since when?"]
    assert len(history.get_messages(session)) == 6


async def test_a_reply_can_be_read_as_it_comes(model: ScriptedModel) -> None:
    agent = OpenAIChatClient(model.name, base_url=model.base_url).as_agent(tools=[track])
    text = ""
    async for update in agent.run("Where is my crate?", stream=True):
        text += update.text
    assert text == "It is at sea."


async def test_a_harness_takes_the_model_s_numbers_and_keeps_long_work_within_them(model: ScriptedModel) -> None:
    client = OpenAIChatClient(model.name, base_url=model.base_url)
    agent = create_harness_agent(client, max_context_window_tokens=128_000, max_output_tokens=16_384, tools=[track])

    await agent.run("Find my crate.", session=agent.create_session())

    assert model.requests[0].body["max_completion_tokens"] == 16_384
