"""A model by OpenAI's Chat Completions, which nearly every server speaks."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any, Unpack

from turnfold.agent.chat_client import Options, with_instructions
from turnfold.agent.chat_response import ChatResponse, TextPiece, as_chat_response
from turnfold.agent.openai_client import ClientOptions, OpenAIClient
from turnfold.agent.stream_assembly import ChatStreamAssembly
from turnfold.history.session import AgentSession
from turnfold.summaries.openai import MaxTokensField

# Options that are not the API's own.
_OURS = frozenset({"model", "instructions", "max_tokens", "conversation_id"})


class OpenAIChatClient(OpenAIClient):
    """Chat Completions; what the service is told it forgets, so that the whole context goes with each call.

    Args:
        max_tokens_field: the name under which the server knows a reply's limit.
        options: as for every OpenAI client: `base_url`, `api_key`, `client`, `compaction_strategy`, `tokenizer`.
    """

    def __init__(
        self,
        model: str | None = None,
        *,
        max_tokens_field: MaxTokensField = "max_completion_tokens",
        **options: Unpack[ClientOptions],
    ) -> None:
        super().__init__(model, **options)
        self._max_tokens_field = max_tokens_field

    async def get_response(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        options: Options | None = None,
        session: AgentSession | None = None,
    ) -> ChatResponse:
        create: Any = self.client.chat.completions.create  # its types know no field that is named at run time
        return as_chat_response(await create(**self._request(messages, options or {})))

    async def stream(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        options: Options | None = None,
        session: AgentSession | None = None,
    ) -> AsyncGenerator[TextPiece | ChatResponse]:
        create: Any = self.client.chat.completions.create
        request = self._request(messages, options or {})
        assembly = ChatStreamAssembly()
        async with await create(**request, stream=True, stream_options={"include_usage": True}) as chunks:
            async for chunk in chunks:
                if text := assembly.take(chunk):
                    yield TextPiece(text)
        yield assembly.response()

    def _request(self, messages: Sequence[Mapping[str, Any]], options: Options) -> dict[str, Any]:
        request = {name: value for name, value in options.items() if name not in _OURS and value is not None}
        if options.get("max_tokens") is not None:
            request[self._max_tokens_field] = options["max_tokens"]
        sent = [dict(message) for message in with_instructions(messages, options)]
        return {**request, "model": self.model_for(options), "messages": sent}
