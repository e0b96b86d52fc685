"""A model by OpenAI's Responses, where the service may keep the conversation."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any, Unpack

from turnfold.agent.chat_client import Options
from turnfold.agent.chat_response import ChatResponse, TextPiece, usage_of
from turnfold.agent.openai_client import ClientOptions, OpenAIClient
from turnfold.formats.responses import ResponsesFormat
from turnfold.history.session import AgentSession
from turnfold.jsonio import is_object

CONVERSATION = "conv_"
_FORMAT = ResponsesFormat()
_OURS = frozenset({"model", "tools", "max_tokens", "conversation_id"})


class OpenAIResponsesClient(OpenAIClient):
    """Responses.

    With `store` on, as it is by default, the service keeps the conversation: each call tells it what is new alone, and
    compaction does nothing. With `store=False` it keeps nothing, and the whole context goes with each call.

    Args:
        store: for calls whose options don't say.
        options: as for every OpenAI client: `base_url`, `api_key`, `client`, `compaction_strategy`, `tokenizer`.
    """

    def __init__(self, model: str | None = None, *, store: bool = True, **options: Unpack[ClientOptions]) -> None:
        super().__init__(model, **options)
        self.store = store

    def keeps_conversation(self, options: Options) -> bool:
        return bool(options.get("store", self.store))

    async def get_response(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        options: Options | None = None,
        session: AgentSession | None = None,
    ) -> ChatResponse:
        create: Any = self.client.responses.create  # its types know no field that is named at run time
        request = self._request(messages, options or {})
        return _reply(await create(**request), is_kept=request["store"])

    async def stream(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        options: Options | None = None,
        session: AgentSession | None = None,
    ) -> AsyncGenerator[TextPiece | ChatResponse]:
        create: Any = self.client.responses.create
        request = self._request(messages, options or {})
        final: Any = None
        async with await create(**request, stream=True) as events:
            async for event in events:
                if event.type == "response.output_text.delta":
                    yield TextPiece(event.delta)
                final = getattr(event, "response", None) or final
        yield _reply(final, is_kept=request["store"])

    def _request(self, messages: Sequence[Mapping[str, Any]], options: Options) -> dict[str, Any]:
        request = {name: value for name, value in options.items() if name not in _OURS and value is not None}
        if options.get("max_tokens") is not None:
            request["max_output_tokens"] = options["max_tokens"]
        if tools := [_tool(tool) for tool in options.get("tools") or ()]:
            request["tools"] = tools
        if conversation := options.get("conversation_id"):
            field = "conversation" if str(conversation).startswith(CONVERSATION) else "previous_response_id"
            request[field] = conversation
        return {
            **request,
            "model": self.model_for(options),
            "store": self.keeps_conversation(options),
            "input": _items(messages, is_continued=bool(conversation)),
        }


def _items(messages: Sequence[Mapping[str, Any]], *, is_continued: bool) -> list[Any]:
    """The messages as items. In a conversation that the service keeps, results stand without their calls."""
    if not is_continued:
        return list(_FORMAT.write(messages)["messages"])
    results = [message for message in messages if message.get("role") == "tool"]
    others = [message for message in messages if message.get("role") != "tool"]
    answers = [
        {"type": "function_call_output", "call_id": m["tool_call_id"], "output": str(m.get("content") or "")}
        for m in results
    ]
    return [*answers, *_FORMAT.write(others)["messages"]]


def _tool(tool: Any) -> Any:
    """A function as Responses takes it; hosted tools go as they are."""
    if is_object(tool) and is_object(function := tool.get("function")):
        return {"type": "function", "strict": False, **function}
    return tool


def _reply(answer: Any, *, is_kept: bool) -> ChatResponse:
    items = [item.model_dump(exclude_none=True) for item in answer.output]
    if not is_kept:  # the service has forgotten reasoning that it did not hand over encrypted
        items = [item for item in items if item.get("type") != "reasoning" or item.get("encrypted_content")]
    conversation = getattr(getattr(answer, "conversation", None), "id", None)
    return ChatResponse(
        messages=_FORMAT.read(items) if items else [],
        model=answer.model or "",
        response_id=answer.id,
        conversation_id=(conversation or answer.id) if is_kept else None,
        finish_reason=answer.status or "stop",
        usage=usage_of(answer.usage),
    )
