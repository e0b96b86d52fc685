"""A reply as it comes."""

from __future__ import annotations

import pytest

from tests.support.agents import Model, roles, texts
from turnfold import Agent, InMemoryHistoryProvider, OpenAIChatClient, OpenAIResponsesClient
from turnfold.testing import Calls, Fails, Reply, ScriptedModel


def look(where: str) -> str:
    return f"found in {where}"


@pytest.mark.parametrize("client_type", [OpenAIChatClient, OpenAIResponsesClient])
async def test_text_comes_piece_by_piece_and_calls_are_answered_between(
    client_type: type[OpenAIChatClient] | type[OpenAIResponsesClient],
) -> None:
    with ScriptedModel([Calls((("look", {"where": "a"}), ("look", {"where": "b"}))), "It is there."]) as model:
        client = client_type(model=model.name, base_url=model.base_url)
        stream = client.as_agent(tools=[look]).run("where?", stream=True)
        updates = [update async for update in stream]
        response = await stream.get_final_response()
        await client.close()

    assert [update.text for update in updates if update.text] == ["It ", "is ", "there."]
    assert [update.message.role for update in updates if update.message] == ["assistant", "tool", "tool", "assistant"]
    assert response.text == "It is there."
    assert response.usage.completion_tokens == 40
    assert model.requests[0].body["stream"] is True


async def test_a_streamed_reply_is_the_same_message_as_a_whole_one() -> None:
    script: list[Reply | str] = [Calls((("look", {"where": "a"}),), text="Looking."), "There."]
    replies: list[list[dict[str, object]]] = []
    for stream in (False, True):
        with ScriptedModel(script) as model:
            client = OpenAIChatClient(model=model.name, base_url=model.base_url)
            agent = client.as_agent(tools=[look])
            if stream:
                response = await agent.run_stream("where?").get_final_response()
            else:
                response = await agent.run("where?")
            replies.append([dict(message) for message in response.messages])
            await client.close()
    assert replies[0] == replies[1]


async def test_the_turn_is_stored_once_the_stream_has_ended() -> None:
    history = InMemoryHistoryProvider()
    agent = Agent(Model(["all good"]), context_providers=[history])
    session = agent.create_session()
    stream = agent.run("one", session=session, stream=True)
    assert texts(history.get_messages(session)) == []
    response = await stream.get_final_response()
    assert response.text == "all good"
    assert roles(history.get_messages(session)) == ["user", "assistant"]


async def test_a_stream_that_is_left_stores_nothing() -> None:
    history = InMemoryHistoryProvider()
    agent = Agent(Model(["all good"]), context_providers=[history])
    session = agent.create_session()
    stream = agent.run("one", session=session, stream=True)
    async for _ in stream:
        break
    await stream.aclose()
    assert texts(history.get_messages(session)) == []


async def test_an_error_of_the_model_comes_out_of_the_stream() -> None:
    from openai import BadRequestError

    with ScriptedModel([Fails(400)]) as model:
        client = OpenAIChatClient(model=model.name, base_url=model.base_url)
        with pytest.raises(BadRequestError, match="failure 1"):
            await client.as_agent().run("one", stream=True).get_final_response()
        await client.close()
