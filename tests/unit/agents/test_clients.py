"""Clients of OpenAI's two protocols, against a server on loopback."""

from __future__ import annotations

from typing import Any

import pytest
from openai import AsyncOpenAI

from tests.support.agents import roles
from turnfold import (
    Agent,
    CharacterEstimatorTokenizer,
    OpenAIChatClient,
    OpenAIResponsesClient,
    SlidingWindowStrategy,
    SummarizationStrategy,
    apply_compaction,
)
from turnfold.errors import BadInput
from turnfold.testing import Calls, ScriptedModel


def look() -> str:
    return "found"


async def test_the_model_s_name_comes_from_the_call_the_client_or_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_MODEL", "of-environment")
    with ScriptedModel(["ok"]) as model:
        for client_type in (OpenAIChatClient, OpenAIResponsesClient):
            named, bare = client_type(model="of-client", base_url=model.base_url), client_type(base_url=model.base_url)
            await Agent(named).run("one", options={"model": "of-call"})
            await Agent(named).run("one")
            await Agent(bare).run("one")
            monkeypatch.delenv("OPENAI_MODEL")
            with pytest.raises(BadInput, match="OPENAI_MODEL"):
                await Agent(bare).run("one")
            monkeypatch.setenv("OPENAI_MODEL", "of-environment")
            await named.close()
            await bare.close()
    assert [request.body["model"] for request in model.requests] == ["of-call", "of-client", "of-environment"] * 2


async def test_an_openai_client_that_is_there_already_can_be_used_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_MODEL", "m")
    with ScriptedModel(["ok"]) as model:
        async with AsyncOpenAI(api_key="k", base_url=model.base_url) as client:
            assert (await Agent(client).run("one")).text == "ok"


async def test_the_limit_of_a_reply_goes_under_the_name_that_the_server_knows() -> None:
    with ScriptedModel(["ok"]) as model:
        clients: list[Any] = [
            OpenAIChatClient("m", base_url=model.base_url),
            OpenAIChatClient("m", base_url=model.base_url, max_tokens_field="max_tokens"),
            OpenAIResponsesClient("m", base_url=model.base_url),
        ]
        for client in clients:
            await Agent(client).run("one", options={"max_tokens": 9})
            await client.close()
    fields = ("max_completion_tokens", "max_tokens", "max_output_tokens")
    assert [request.body.get(name) for request, name in zip(model.requests, fields, strict=True)] == [9, 9, 9]


async def test_responses_without_store_sends_the_whole_context_and_compacts_it() -> None:
    with ScriptedModel([Calls.one("look"), "done", "again"]) as model:
        client = OpenAIResponsesClient("m", base_url=model.base_url, store=False)
        agent = client.as_agent(
            instructions="Be brief.", tools=[look], compaction_strategy=SlidingWindowStrategy(keep_last_groups=2)
        )
        session = agent.create_session()
        await agent.run("one", session=session)
        await agent.run("two", session=session)
        await client.close()
    kinds = [[item.get("role") or item["type"] for item in request.messages] for request in model.requests]
    assert kinds == [["user"], ["user", "function_call", "function_call_output"], ["assistant", "user"]]
    assert {request.body["store"] for request in model.requests} == {False}
    assert {request.body["instructions"] for request in model.requests} == {"Be brief."}
    assert session.service_session_id is None


async def test_a_client_is_what_a_summarization_strategy_asks() -> None:
    with ScriptedModel(["They counted."]) as model:
        client = OpenAIChatClient(model.name, base_url=model.base_url)
        chat = [{"role": "user" if n % 2 else "assistant", "content": f"{n} " + "words " * 30} for n in range(9)]
        strategy = SummarizationStrategy(client=client, target_count=2, threshold=2)
        kept = await apply_compaction(chat, strategy=strategy, tokenizer=CharacterEstimatorTokenizer())
        await client.close()
    assert kept[0]["content"] == "[Summary]\nThey counted."
    assert roles(model.requests[0].messages) == ["system", "user"]


async def test_a_client_connects_at_its_first_call_and_not_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert OpenAIChatClient().as_agent(name="a").name == "a"
