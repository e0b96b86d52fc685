"""What the middleware does beyond turns: synchronous calls, threads, messages of every form, other middleware."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("langchain", reason="langchain is not installed here: `make adapters` runs this")

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph

from tests.adapters.behaviour import POLICY
from tests.adapters.langchain.langchain_talk import LangChainTalk, ScriptedChatModel, lookup, told_by
from tests.adapters.talk import told_in, turn
from tests.support.sessions import Desk
from turnfold.adapters.langchain import CompactingMiddleware
from turnfold.adapters.langchain.reading import chat_message, input_tokens_of
from turnfold.sessions.memory_store import MemoryStore

THREAD: Any = {"configurable": {"thread_id": "user-42"}}


@pytest.fixture
def desk() -> Desk:
    return Desk(MemoryStore(), POLICY)


@pytest.fixture
def talk(tmp_path: Any) -> LangChainTalk:
    return LangChainTalk(tmp_path, None)


def asked(number: int) -> Any:
    return {"messages": [HumanMessage(turn(number))]}


def agent_of(talk: LangChainTalk, *middleware: Any, **settings: Any) -> Any:
    model = ScriptedChatModel(talk=talk)
    return create_agent(model, [lookup], middleware=middleware, checkpointer=InMemorySaver(), **settings)


async def sessions_of(desk: Desk) -> list[str]:
    return sorted(name for _, name in await desk.store.list_sessions("default", None, 100))


def test_synchronous_calls_are_served_too(desk: Desk, talk: LangChainTalk) -> None:
    agent = agent_of(talk, CompactingMiddleware(desk.service))
    state: Any = None
    for number in range(1, 6):
        state = agent.invoke(asked(number), THREAD)
        asyncio.run(desk.work())

    assert talk.seen[-1][0].text.startswith("[Summary]")
    assert told_by(state["messages"]) == told_in(range(1, 6))


def test_synchronous_streams_are_served_too(desk: Desk, talk: LangChainTalk) -> None:
    agent = agent_of(talk, CompactingMiddleware(desk.service))
    pieces = [piece for piece, _ in agent.stream(asked(1), THREAD, stream_mode="messages") if piece.type != "tool"]
    assert "".join(str(piece.content) for piece in pieces).endswith(told_in([1])[-1].text)


async def test_without_a_thread_nothing_is_stored(desk: Desk, talk: LangChainTalk) -> None:
    agent = create_agent(ScriptedChatModel(talk=talk), [lookup], middleware=[CompactingMiddleware(desk.service)])
    state = await agent.ainvoke(asked(1))
    assert told_by(state["messages"]) == told_in([1])
    assert await sessions_of(desk) == []


async def test_the_session_may_be_named(desk: Desk, talk: LangChainTalk) -> None:
    await agent_of(talk, CompactingMiddleware(desk.service, session_id="mine")).ainvoke(asked(1), THREAD)
    by_state = CompactingMiddleware(desk.service, session_id=lambda state: f"of-{state['messages'][0].type}")
    await agent_of(talk, by_state).ainvoke(asked(2), THREAD)
    assert await sessions_of(desk) == ["mine", "of-human"]


async def test_each_thread_has_its_own_session(desk: Desk, talk: LangChainTalk) -> None:
    agent = agent_of(talk, CompactingMiddleware(desk.service))
    for name in ("a", "b/c"):
        await agent.ainvoke(asked(1), {"configurable": {"thread_id": name}})
    assert await sessions_of(desk) == ["a", "b%2Fc"]


async def test_an_agent_that_is_called_as_a_tool_is_not_the_conversation(desk: Desk, talk: LangChainTalk) -> None:
    middleware = CompactingMiddleware(desk.service)
    inner = create_agent(ScriptedChatModel(talk=LangChainTalk(talk.folder, None)), [lookup], middleware=[middleware])

    @tool("lookup")
    async def ask_inner(key: str) -> str:
        """Asks another agent."""
        await inner.ainvoke(asked(99))
        return key

    agent = create_agent(
        ScriptedChatModel(talk=talk), [ask_inner], middleware=[middleware], checkpointer=InMemorySaver()
    )
    await agent.ainvoke(asked(1), THREAD)
    assert await sessions_of(desk) == ["user-42"]


async def test_an_agent_within_a_graph_has_a_session_of_its_own_in_the_thread(desk: Desk, talk: LangChainTalk) -> None:
    inner = create_agent(ScriptedChatModel(talk=talk), [lookup], middleware=[CompactingMiddleware(desk.service)])
    graph: Any = StateGraph(MessagesState).add_node("helper", inner).add_edge(START, "helper")
    outer = graph.compile(checkpointer=InMemorySaver())
    await outer.ainvoke(asked(1), THREAD)
    state = await outer.ainvoke(asked(2), THREAD)
    assert told_by(state["messages"]) == told_in([1, 2])
    assert await sessions_of(desk) == ["user-42:helper"]


async def test_what_another_middleware_changed_for_the_call_is_sent_as_it_changed_it(
    desk: Desk, talk: LangChainTalk
) -> None:
    class Shouting(AgentMiddleware[Any, Any, Any]):
        async def awrap_model_call(self, request: Any, handler: Any) -> Any:
            first, *rest = request.messages
            return await handler(
                request.override(messages=[first.model_copy(update={"content": "Turn 1. WHERE?"}), *rest])
            )

    agent = agent_of(talk, Shouting(), CompactingMiddleware(desk.service))
    await agent.ainvoke(asked(1), THREAD)
    assert talk.seen[0][0].text == "Turn 1. WHERE?"
    read = await desk.service.messages("user-42")
    assert read.entries[1].message.text == turn(1)


async def test_a_message_that_was_removed_from_the_state_is_a_branch(desk: Desk, talk: LangChainTalk) -> None:
    agent = agent_of(talk, CompactingMiddleware(desk.service))
    state = await agent.ainvoke(asked(1), THREAD)
    await agent.aupdate_state(THREAD, {"messages": [RemoveMessage(id=state["messages"][-1].id)]})
    await agent.ainvoke(asked(2), THREAD)
    assert await sessions_of(desk) == ["user-42", "user-42~1"]
    assert told_in([1])[-1] not in talk.seen[-1]


async def test_the_agent_s_instructions_are_no_part_of_the_history(desk: Desk, talk: LangChainTalk) -> None:
    agent = agent_of(talk, CompactingMiddleware(desk.service), system_prompt="Be brief.")
    await agent.ainvoke(asked(1), THREAD)
    assert talk.seen[-1][0].text == "Be brief."
    read = await desk.service.messages("user-42")
    assert {entry.message.role for entry in read.entries.values()} == {"user", "assistant", "tool"}


def test_blocks_of_providers_are_read_as_what_they_say() -> None:
    call: Any = {"name": "f", "args": {"a": 1}, "id": "c"}
    blocks: list[Any] = [
        {"type": "reasoning", "reasoning": "Hm."},
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "c", "name": "f", "input": {"a": 1}},
    ]
    assert chat_message(AIMessage(blocks, tool_calls=[call])) == {
        "role": "assistant",
        "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "I look."}],
        "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}],
    }


def test_a_call_that_the_model_wrote_badly_is_a_call_like_others() -> None:
    bad: Any = {"name": "f", "args": "{", "id": None, "error": "no JSON", "type": "invalid_tool_call"}
    message = chat_message(AIMessage("", invalid_tool_calls=[bad]))
    assert message["tool_calls"] == [{"id": "call_0", "type": "function", "function": {"name": "f", "arguments": "{"}}]


@pytest.mark.parametrize(
    ("message", "role"),
    [
        (HumanMessage("x"), "user"),
        (SystemMessage("x"), "system"),
        (SystemMessage("x", additional_kwargs={"__openai_role__": "developer"}), "developer"),
        (AIMessage("x"), "assistant"),
        (ToolMessage("x", tool_call_id="c"), "tool"),
    ],
)
def test_roles(message: Any, role: str) -> None:
    assert chat_message(message)["role"] == role


async def test_both_kinds_of_calls_may_be_made_of_one_middleware(desk: Desk, talk: LangChainTalk) -> None:
    agent = agent_of(talk, CompactingMiddleware(desk.service))
    await agent.ainvoke(asked(1), THREAD)
    state = await asyncio.to_thread(agent.invoke, asked(2), THREAD)
    assert told_by(state["messages"]) == told_in([1, 2])
    assert await sessions_of(desk) == ["user-42"]


async def test_a_thread_of_before_can_be_followed_ahead_of_its_next_turn(desk: Desk, talk: LangChainTalk) -> None:
    kept = InMemorySaver()
    model = ScriptedChatModel(talk=talk)
    before: Any = create_agent(model, [lookup], checkpointer=kept)
    for number in range(1, 6):
        await before.ainvoke(asked(number), THREAD)
    middleware = CompactingMiddleware(desk.service)
    await middleware.follow("user-42", (await before.aget_state(THREAD)).values["messages"])
    assert await desk.work() > 0
    after: Any = create_agent(model, [lookup], middleware=[middleware], checkpointer=kept)
    await after.ainvoke(asked(6), THREAD)
    assert talk.seen[-2][0].text.startswith("[Summary]")


def test_reported_usage_is_read() -> None:
    usage: Any = {"input_tokens": 90, "output_tokens": 1, "total_tokens": 91}
    assert input_tokens_of([HumanMessage("x"), AIMessage("y", usage_metadata=usage), AIMessage("z")]) == {1: 90}
