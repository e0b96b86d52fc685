"""Hooks for agents without middleware, and the message history."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("langchain", reason="langchain is not installed here: `make adapters` runs this")

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.prebuilt import create_react_agent

from tests.adapters.behaviour import POLICY
from tests.adapters.langchain.langchain_talk import LangChainTalk, ScriptedChatModel, lookup, told_by
from tests.adapters.talk import told_in, turn
from tests.support.sessions import LONG, Desk
from turnfold.adapters.langchain import TurnfoldChatMessageHistory, post_model_hook, pre_model_hook
from turnfold.sessions.memory_store import MemoryStore

THREAD: Any = {"configurable": {"thread_id": "user-42"}}


@pytest.fixture
def desk() -> Desk:
    return Desk(MemoryStore(), POLICY)


# LangGraph asks to move on to `create_agent`; graphs that have not moved are what the hooks are for.
@pytest.mark.filterwarnings("ignore:create_react_agent has been moved")
@pytest.mark.parametrize("is_async", [True, False])
def test_an_agent_of_langgraph_gets_a_summary_by_a_hook(desk: Desk, tmp_path: Any, is_async: bool) -> None:
    talk = LangChainTalk(tmp_path, None)
    agent: Any = create_react_agent(
        ScriptedChatModel(talk=talk),
        [lookup],
        pre_model_hook=pre_model_hook(desk.service),
        post_model_hook=post_model_hook(desk.service),
        checkpointer=InMemorySaver(),
    )

    async def talked() -> Any:
        state: Any = None
        for number in range(1, 6):
            asked = {"messages": [HumanMessage(turn(number))]}
            state = await (agent.ainvoke(asked, THREAD) if is_async else asyncio.to_thread(agent.invoke, asked, THREAD))
            await desk.work()
        return state

    state = asyncio.run(talked())

    assert talk.seen[-1][0].text.startswith("[Summary]")
    assert told_by(state["messages"]) == told_in(range(1, 6))


def turn_of(number: int) -> list[Any]:
    call: Any = {"name": "f", "args": {"n": number}, "id": f"c{number}"}
    return [
        HumanMessage(f"Turn {number}"),
        AIMessage("", tool_calls=[call]),
        ToolMessage(LONG, tool_call_id=f"c{number}"),
        AIMessage(f"Answer {number}. {LONG}"),
    ]


def test_a_message_history_shows_summaries_and_keeps_everything(desk: Desk) -> None:
    history = TurnfoldChatMessageHistory("user-42", turnfold=desk.service)
    for number in range(1, 6):
        history.add_messages(turn_of(number))
        asyncio.run(desk.work())

    assert str(history.messages[0].content).startswith("[Summary]")
    told = [(type(message), message.content) for message in history.all_messages()]
    assert told == [(type(message), message.content) for n in range(1, 6) for message in turn_of(n)]
    calls = [message.tool_calls for message in history.all_messages() if isinstance(message, AIMessage)]
    assert calls[0] == [{"name": "f", "args": {"n": 1}, "id": "c1", "type": "tool_call"}]


async def test_a_message_history_is_asynchronous_too(desk: Desk) -> None:
    history = TurnfoldChatMessageHistory("user-42", turnfold=desk.service)
    assert await history.aget_messages() == []
    await history.aadd_messages([HumanMessage("Hello", id="m-1"), AIMessage("Good morning")])
    first, second = await history.aget_messages()
    assert (first.id, first.content, second.content) == ("m-1", "Hello", "Good morning")
    assert len(await history.aall_messages()) == 2
    await history.aclear()
    assert await history.aall_messages() == []


def test_a_cleared_message_history_is_erased(desk: Desk) -> None:
    history = TurnfoldChatMessageHistory("user-42", turnfold=desk.service)
    history.clear()
    history.add_user_message("Hello")
    history.clear()
    assert history.messages == []
    assert history.all_messages() == []
