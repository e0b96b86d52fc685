"""A conversation through the Agent Framework, kept in a file."""

from __future__ import annotations

from collections.abc import AsyncIterable, Awaitable, Mapping, Sequence
from typing import Any

from agent_framework import (
    Agent,
    AgentSession,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FileHistoryProvider,
    FunctionInvocationLayer,
    HistoryProvider,
    Message,
    ResponseStream,
    tool,
)

from tests.adapters.talk import LOST, Talk, Told, looked_up
from turnfold.adapters.agent_framework import CompactingHistory


@tool(approval_mode="never_require")
def lookup(key: str) -> str:
    """Finds a crate."""
    return looked_up(key)


class ScriptedClient(FunctionInvocationLayer[Any], ChatMiddlewareLayer[Any], BaseChatClient[Any]):
    """Answers as the talk says."""

    def __init__(self, talk: Talk) -> None:
        super().__init__()
        self._talk = talk

    def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **kwargs: Any
    ) -> Awaitable[ChatResponse[Any]] | ResponseStream[ChatResponseUpdate, ChatResponse[Any]]:
        contents = self._contents(messages)
        if stream:
            return ResponseStream(_pieces(contents), finalizer=ChatResponse.from_updates)
        return _response(contents)

    def _contents(self, messages: Sequence[Message]) -> list[Content]:
        step = self._talk.step(told_by(messages))
        if isinstance(step, str):
            return [Content.from_text(step)]
        return [Content.from_function_call(call.id, "lookup", arguments={"key": call.key}) for call in step]


async def _response(contents: list[Content]) -> ChatResponse[Any]:
    return ChatResponse(messages=[Message("assistant", contents)])


async def _pieces(contents: list[Content]) -> AsyncIterable[ChatResponseUpdate]:
    for content in contents:
        if content.type != "text":
            yield ChatResponseUpdate(role="assistant", contents=[content])
            continue
        text = content.text or ""
        for piece in (text[:9], text[9:]):
            yield ChatResponseUpdate(role="assistant", contents=[Content.from_text(piece)])


class FrameworkTalk(Talk):
    async def say(self, text: str) -> str:
        return (await self._agent().run(text, session=self._session())).text

    async def stream(self, text: str) -> str:
        pieces = [update.text async for update in self._agent().run(text, session=self._session(), stream=True)]
        return "".join(pieces)

    async def stored(self) -> list[Told]:
        return told_by(await self._kept().get_messages(self.name))

    async def plant_result_without_call(self) -> None:
        lost = Message("tool", [Content.from_function_result("lost", result=LOST)])
        await self._kept().save_messages(self.name, [lost])

    def _kept(self) -> HistoryProvider:
        return FileHistoryProvider(self.folder)

    def _session(self) -> AgentSession:
        return AgentSession(session_id=self.name)

    def _agent(self) -> Agent[Any]:
        kept = self._kept()
        history = kept if self.turnfold is None else CompactingHistory(kept, turnfold=self.turnfold)
        return Agent(ScriptedClient(self), tools=[lookup], context_providers=[history])


def told_by(messages: Sequence[Message]) -> list[Told]:
    """Messages as what was told."""
    return [_told(message, content) for message in messages for content in message.contents]


def _told(message: Message, content: Content) -> Told:
    if content.type == "function_call":
        return Told("call", str((content.parse_arguments() or {}).get("key")), content.call_id or "")
    if content.type == "function_result":
        return Told("result", str(content.result), content.call_id or "")
    return Told(message.role, content.text or "")
