"""A client with context providers around each call."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from turnfold.agent.chat_client import ChatClient, Options
from turnfold.agent.chat_response import ChatResponse, TextPiece
from turnfold.agent.tool import schemas_of
from turnfold.history.agent_response import AgentResponse
from turnfold.history.context_provider import ContextProvider
from turnfold.history.provider_scope import provider_scope
from turnfold.history.session import AgentSession
from turnfold.history.session_context import SessionContext
from turnfold.messages import as_message

_MESSAGES = "messages"
# Apart from an agent's providers of the same name: they see other messages.
_SCOPE = "client."


class ProvidingClient(ChatClient):
    """Asks another client, with what the providers make of the messages. What they keep is kept in the session."""

    def __init__(self, client: ChatClient, providers: Iterable[ContextProvider]) -> None:
        self.inner, self.context_providers = client, tuple(providers)
        self.compaction_strategy, self.tokenizer = client.compaction_strategy, client.tokenizer

    def keeps_conversation(self, options: Options) -> bool:
        return self.inner.keeps_conversation(options)

    async def get_response(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        options: Options | None = None,
        session: AgentSession | None = None,
    ) -> ChatResponse:
        session = session or AgentSession()
        context, told = await self._before(messages, options or {}, session)
        answer = await self.inner.get_response(context.get_messages(), options=told, session=session)
        await self._after(context, session, answer)
        return answer

    async def stream(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        options: Options | None = None,
        session: AgentSession | None = None,
    ) -> AsyncGenerator[TextPiece | ChatResponse]:
        session = session or AgentSession()
        context, told = await self._before(messages, options or {}, session)
        async with aclosing(self.inner.stream(context.get_messages(), options=told, session=session)) as pieces:
            async for piece in pieces:
                if isinstance(piece, ChatResponse):
                    await self._after(context, session, piece)
                yield piece

    @property
    def bare(self) -> ChatClient:
        return self.inner.bare

    async def close(self) -> None:
        await self.inner.close()

    async def _before(
        self, messages: Sequence[Mapping[str, Any]], options: Options, session: AgentSession
    ) -> tuple[SessionContext, dict[str, Any]]:
        kept_by = options.get("conversation_id") or (_MESSAGES if self.inner.keeps_conversation(options) else None)
        context = SessionContext(
            session_id=session.session_id,
            service_session_id=kept_by,
            options=options,
            history_source=_MESSAGES,
            tokenizer=self.tokenizer,
        )
        context.context_messages[_MESSAGES] = [as_message(message) for message in messages]
        for provider in self.context_providers:
            with provider_scope(session, _SCOPE + provider.source_id) as state:
                await provider.before_run(agent=None, session=session, context=context, state=state)
        told = dict(options)
        if context.instructions:
            told["instructions"] = "\n\n".join(filter(None, [options.get("instructions"), *context.instructions]))
        if context.tools:
            told["tools"] = [*(options.get("tools") or ()), *schemas_of(context.tools)]
        return context, told

    async def _after(self, context: SessionContext, session: AgentSession, answer: ChatResponse) -> None:
        context.response = AgentResponse(messages=answer.messages, response_id=answer.response_id, calls=1)
        for provider in self.context_providers:
            with provider_scope(session, _SCOPE + provider.source_id) as state:
                await provider.after_run(agent=None, session=session, context=context, state=state)
