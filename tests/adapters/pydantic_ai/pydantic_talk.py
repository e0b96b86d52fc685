"""A conversation through pydantic-ai, kept as the JSON of its messages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

from tests.adapters.talk import LOST, Talk, Told, looked_up
from turnfold.adapters.pydantic_ai import CompactingHistory


def lookup(key: str) -> str:
    """Finds a crate."""
    return looked_up(key)


class PydanticTalk(Talk):
    async def say(self, text: str) -> str:
        result = await self._agent().run(text, message_history=self._kept(), conversation_id=self.name)
        self._keep(result.all_messages())
        return result.output

    async def stream(self, text: str) -> str:
        pieces: list[str] = []
        history, name = self._kept(), self.name
        async with self._agent().run_stream(text, message_history=history, conversation_id=name) as result:
            pieces += [piece async for piece in result.stream_text(delta=True)]
        self._keep(result.all_messages())
        return "".join(pieces)

    async def stored(self) -> list[Told]:
        return told_by(self._kept())

    async def plant_result_without_call(self) -> None:
        lost = ModelRequest(parts=[ToolReturnPart("lookup", LOST, tool_call_id="lost")])
        self._keep([*self._kept(), lost])

    @property
    def _file(self) -> Any:
        return self.folder / f"{self.name}.json"

    def _kept(self) -> list[ModelMessage]:
        return ModelMessagesTypeAdapter.validate_json(self._file.read_bytes()) if self._file.exists() else []

    def _keep(self, messages: Sequence[ModelMessage]) -> None:
        new = self._file.with_suffix(".new")
        new.write_bytes(ModelMessagesTypeAdapter.dump_json(list(messages)))
        new.replace(self._file)

    def _agent(self) -> Agent[None, str]:
        capabilities = [] if self.turnfold is None else [CompactingHistory[None](self.turnfold)]
        model = FunctionModel(self._respond, stream_function=self._stream)
        return Agent(model, tools=[lookup], capabilities=capabilities)

    def _respond(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        step = self.step(told_by(messages))
        if isinstance(step, str):
            return ModelResponse(parts=[TextPart(step)])
        return ModelResponse(parts=[ToolCallPart("lookup", {"key": call.key}, tool_call_id=call.id) for call in step])

    async def _stream(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        step = self.step(told_by(messages))
        if isinstance(step, str):
            yield step[:9]
            yield step[9:]
            return
        for n, call in enumerate(step):
            yield {n: DeltaToolCall(name="lookup", json_args=f'{{"key": "{call.key}"}}', tool_call_id=call.id)}


def told_by(messages: Sequence[ModelMessage]) -> list[Told]:
    """Messages as what was told."""
    return [_told(part) for message in messages for part in message.parts]


def _told(part: Any) -> Told:
    if part.part_kind == "tool-call":
        return Told("call", str(part.args_as_dict()["key"]), part.tool_call_id)
    if part.part_kind == "tool-return":
        return Told("result", str(part.content), part.tool_call_id)
    kinds = {"user-prompt": "user", "text": "assistant"}
    return Told(kinds.get(part.part_kind, "system"), str(part.content))
