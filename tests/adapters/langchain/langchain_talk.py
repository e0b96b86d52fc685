"""A conversation through an agent of LangChain, kept in a checkpoint of SQLite."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from langchain.agents import create_agent
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from tests.adapters.talk import LOST, Talk, Told, looked_up
from turnfold.adapters.langchain import CompactingMiddleware


@tool
def lookup(key: str) -> str:
    """Finds a crate."""
    return looked_up(key)


class ScriptedChatModel(BaseChatModel):
    """Answers as the talk says."""

    talk: Any

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Runnable[Any, AIMessage]:
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._reply(messages))])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        reply = self._reply(messages)
        if reply.tool_calls:
            chunks: list[Any] = [
                {"name": call["name"], "args": f'{{"key": "{call["args"]["key"]}"}}', "id": call["id"], "index": n}
                for n, call in enumerate(reply.tool_calls)
            ]
            yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=chunks))
            return
        text = str(reply.content)
        for piece in (text[:9], text[9:]):
            yield ChatGenerationChunk(message=AIMessageChunk(content=piece))

    def _reply(self, messages: list[BaseMessage]) -> AIMessage:
        step = self.talk.step(told_by(messages))
        if isinstance(step, str):
            return AIMessage(step)
        calls: list[Any] = [{"name": "lookup", "args": {"key": call.key}, "id": call.id} for call in step]
        return AIMessage("", tool_calls=calls)


class LangChainTalk(Talk):
    async def say(self, text: str) -> str:
        async with self._agent() as agent:
            state = await agent.ainvoke(_asked(text), self._config)
        return str(state["messages"][-1].content)

    async def stream(self, text: str) -> str:
        pieces: list[str] = []
        async with self._agent() as agent:
            async for piece, _ in agent.astream(_asked(text), self._config, stream_mode="messages"):
                if isinstance(piece, AIMessageChunk):
                    pieces.append(str(piece.content))
        return "".join(pieces)

    async def stored(self) -> list[Told]:
        async with self._agent() as agent:
            state = await agent.aget_state(self._config)
        return told_by(state.values["messages"])

    async def plant_result_without_call(self) -> None:
        async with self._agent() as agent:
            lost = {"messages": [ToolMessage(LOST, tool_call_id="lost")]}
            await agent.aupdate_state(self._config, lost, as_node="model")

    @property
    def _config(self) -> RunnableConfig:
        return {"configurable": {"thread_id": self.name}}

    @asynccontextmanager
    async def _agent(self) -> AsyncIterator[Any]:
        middleware = [] if self.turnfold is None else [CompactingMiddleware(self.turnfold)]
        async with AsyncSqliteSaver.from_conn_string(str(self.folder / "chats.db")) as kept:
            yield create_agent(ScriptedChatModel(talk=self), [lookup], middleware=middleware, checkpointer=kept)


def _asked(text: str) -> Any:
    return {"messages": [{"role": "user", "content": text}]}


def told_by(messages: Sequence[BaseMessage]) -> list[Told]:
    """Messages as what was told."""
    return [told for message in messages for told in _told(message)]


def _told(message: BaseMessage) -> list[Told]:
    if isinstance(message, AIMessage) and message.tool_calls:
        return [Told("call", call["args"]["key"], call["id"] or "") for call in message.tool_calls]
    if isinstance(message, ToolMessage):
        return [Told("result", str(message.content), message.tool_call_id)]
    kinds = {"human": "user", "ai": "assistant"}
    return [Told(kinds.get(message.type, message.type), str(message.content))]
