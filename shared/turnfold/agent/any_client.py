"""A client of the caller's own as a `ChatClient`."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from turnfold.agent.chat_client import ChatClient, Options, with_instructions
from turnfold.agent.chat_response import ChatResponse, TextPiece, as_chat_response
from turnfold.history.session import AgentSession
from turnfold.summaries.chat_client import SupportsChatGetResponse


class AnyClient(ChatClient):
    """Anything with `async get_response(messages, *, options=None)`; instructions go first, as a system message."""

    def __init__(self, client: SupportsChatGetResponse) -> None:
        self._client = client
        self.compaction_strategy = getattr(client, "compaction_strategy", None)
        self.tokenizer = getattr(client, "tokenizer", None)

    async def get_response(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        options: Options | None = None,
        session: AgentSession | None = None,
    ) -> ChatResponse:
        told = {name: value for name, value in (options or {}).items() if name != "instructions"}
        sent = with_instructions(messages, options or {})
        return as_chat_response(await self._client.get_response(sent, options=told or None))

    async def stream(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        options: Options | None = None,
        session: AgentSession | None = None,
    ) -> AsyncGenerator[TextPiece | ChatResponse]:
        answer = await self.get_response(messages, options=options, session=session)
        if answer.text:
            yield TextPiece(answer.text)
        yield answer


def as_chat_client(client: Any) -> ChatClient:
    """The client itself, or what makes one of an `openai.AsyncOpenAI` or of anything with `get_response`.

    Raises:
        TypeError: naming what `client` may be.
    """
    if isinstance(client, ChatClient):
        return client
    if isinstance(client, SupportsChatGetResponse):
        return AnyClient(client)
    if hasattr(getattr(client, "chat", None), "completions"):
        from turnfold.agent.openai_chat_client import OpenAIChatClient

        return OpenAIChatClient(client=client)
    raise TypeError(f"client: give a ChatClient, an openai.AsyncOpenAI, or an object with get_response, not {client!r}")
