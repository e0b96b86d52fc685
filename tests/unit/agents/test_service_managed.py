"""Conversations that the service behind the model keeps."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.agents import Model, texts
from turnfold import (
    Agent,
    AgentSession,
    CompactionProvider,
    InMemoryHistoryProvider,
    OpenAIResponsesClient,
    SlidingWindowStrategy,
    SummarizationStrategy,
)
from turnfold.agent.agent_options import AgentOptions
from turnfold.errors import BadInput
from turnfold.testing import Calls, Fails, ScriptedModel

PER_CALL = "require_per_service_call_history_persistence"


def look() -> str:
    return "found"


@pytest.fixture
def service() -> Iterator[ScriptedModel]:
    with ScriptedModel([Calls.one("look"), "done", "again"]) as model:
        yield model


async def test_each_call_tells_the_service_what_is_new_and_names_the_one_before(service: ScriptedModel) -> None:
    client = OpenAIResponsesClient("m", base_url=service.base_url)
    agent = client.as_agent(tools=[look], instructions="Be brief.")
    session = agent.create_session()
    await agent.run("one", session=session)
    await agent.run("two", session=session)
    await client.close()

    told = [[item.get("content") or item.get("output") for item in request.messages] for request in service.requests]
    assert told == [["one"], ["found"], ["two"]]
    before = [request.body.get("previous_response_id") for request in service.requests]
    assert before == [None, "resp_1", "resp_2"]
    assert session.service_session_id == "resp_3"


async def test_a_session_is_gone_on_with_by_its_service_session_id(service: ScriptedModel) -> None:
    client = OpenAIResponsesClient("m", base_url=service.base_url)
    agent = client.as_agent(tools=[look])
    for known, field in (("resp_77", "previous_response_id"), ("conv_88", "conversation")):
        service.requests.clear()
        session = agent.get_session(service_session_id=known)
        session = AgentSession.from_dict(session.to_dict())
        await agent.run("Continue this conversation.", session=session)
        assert service.requests[0].body[field] == known
        # A conversation keeps its id, responses follow each other.
        assert session.service_session_id == ("conv_88" if field == "conversation" else "resp_2")
    await client.close()


async def test_the_history_of_the_agent_steps_aside_and_an_audit_still_records(service: ScriptedModel) -> None:
    history = InMemoryHistoryProvider("memory")
    audit = InMemoryHistoryProvider("audit", load_messages=False)
    client = OpenAIResponsesClient("m", base_url=service.base_url)
    agent = client.as_agent(tools=[look], context_providers=[history, audit])
    session = agent.create_session()
    await agent.run("one", session=session)
    await client.close()
    assert history.get_messages(session) == []
    assert [message.text for message in audit.get_messages(session)] == ["one", "", "found", "done"]


async def test_compaction_does_nothing_and_says_so_once(service: ScriptedModel) -> None:
    asked: list[Any] = []

    class Summarizer:
        async def get_response(self, messages: Any, *, options: Any = None) -> Any:
            asked.append(messages)

    strategy = SummarizationStrategy(client=Summarizer(), target_count=1, threshold=0)
    client = OpenAIResponsesClient("m", base_url=service.base_url)
    ways: list[AgentOptions] = [
        {"tools": [look], "compaction_strategy": strategy},
        {"tools": [look], "context_providers": [CompactionProvider(strategy)]},
    ]
    for configured in ways:
        agent = client.as_agent(**configured)
        session = agent.create_session()
        with pytest.warns(UserWarning, match="compaction does nothing"):
            await agent.run(["a", "b", "c"], session=session)
        await agent.run("two", session=session)  # a second warning would be an error
    await client.close()
    assert asked == []


async def test_without_compaction_nothing_is_said(service: ScriptedModel) -> None:
    client = OpenAIResponsesClient("m", base_url=service.base_url)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        await client.as_agent(tools=[look]).run("one")
    await client.close()


@pytest.mark.parametrize("bound_by", ["session", "options", "agent", "store", "store option"])
async def test_with_history_after_each_call_it_is_an_error_before_any_model_call(
    service: ScriptedModel, bound_by: str
) -> None:
    given: dict[str, Any] = {PER_CALL: True}
    if bound_by == "agent":
        given["service_session_id"] = "conv_1"
    client = OpenAIResponsesClient("m", base_url=service.base_url, store=bound_by == "store")
    agent = client.as_agent(**given)
    session = agent.get_session(service_session_id="resp_1") if bound_by == "session" else agent.create_session()
    options: dict[str, Any] = {"options": {"conversation_id": "conv_1"}, "store option": {"store": True}}

    with pytest.raises(BadInput, match=PER_CALL):
        await agent.run("one", session=session, options=options.get(bound_by))

    assert service.requests == []
    session.to_dict()  # never raises
    await client.close()


async def test_the_same_is_so_for_any_other_client() -> None:
    model = Model()
    agent = Agent(model, require_per_service_call_history_persistence=True)
    for session, options in (
        (agent.get_session(service_session_id="x"), None),
        (agent.create_session(), {"conversation_id": "x"}),
    ):
        with pytest.raises(ValueError, match="kept twice"):
            await agent.run("one", session=session, options=options)
    assert model.sent == []
    await agent.run("one", session=agent.create_session())


async def test_any_other_client_is_told_the_conversation_s_id_and_what_is_new() -> None:
    model = Model()
    agent = Agent(model)
    session = agent.get_session(service_session_id="conv_5")
    await agent.run("one", session=session)
    await agent.run("two", session=session)
    assert [options["conversation_id"] for options in model.options] == ["conv_5", "conv_5"]
    assert [texts(sent) for sent in model.sent] == [["one"], ["two"]]
    assert session.service_session_id == "conv_5"


async def test_a_run_that_fails_leaves_the_session_where_it_was() -> None:
    with ScriptedModel(["one", Calls.one("look"), Fails(400)]) as model:
        client = OpenAIResponsesClient("m", base_url=model.base_url)
        agent = client.as_agent(tools=[look])
        session = agent.create_session()
        await agent.run("1", session=session)
        from openai import BadRequestError

        with pytest.raises(BadRequestError):
            await agent.run("2", session=session)
        await client.close()
    assert session.service_session_id == "resp_1"


async def test_a_provider_on_such_a_client_does_nothing_either(service: ScriptedModel) -> None:
    inner = OpenAIResponsesClient("m", base_url=service.base_url)
    client = inner.with_context_providers([CompactionProvider(SlidingWindowStrategy(keep_last_groups=1))])
    agent = client.as_agent(tools=[look])
    with pytest.warns(UserWarning, match="compaction does nothing"):
        await agent.run(["a", "b"], session=agent.create_session())
    assert len(service.requests[0].messages) == 2
    await inner.close()
