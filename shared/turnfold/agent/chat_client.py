"""What an agent asks: a client of a model, with defaults for compaction."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from turnfold.agent.agent_options import AgentOptions
from turnfold.agent.chat_response import ChatResponse, TextPiece
from turnfold.history.context_provider import ContextProvider
from turnfold.history.conversation import Strategy
from turnfold.history.session import AgentSession
from turnfold.messages import Message
from turnfold.tokens import TokenizerProtocol

if TYPE_CHECKING:
    from turnfold.agent.agent import Agent

Options = Mapping[str, Any]


class ChatClient(ABC):
    """Base of all clients.

    Options of a call: `model`, `instructions`, `tools` (in Chat Completions form), `tool_choice`, `max_tokens`,
    `conversation_id`, and whatever else the provider's API takes, under its own name.

    Attributes:
        compaction_strategy, tokenizer: for agents that have none of their own.
    """

    compaction_strategy: Strategy | None = None
    tokenizer: TokenizerProtocol | None = None

    @abstractmethod
    async def get_response(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        options: Options | None = None,
        session: AgentSession | None = None,
    ) -> ChatResponse:
        """The model's reply to the messages.

        Args:
            session: whose call it is, for clients that keep something of it.

        Raises:
            BadInput: no model is named.
        """

    @abstractmethod
    def stream(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        options: Options | None = None,
        session: AgentSession | None = None,
    ) -> AsyncGenerator[TextPiece | ChatResponse]:
        """The reply piece by piece; the whole of it comes last."""

    def keeps_conversation(self, options: Options) -> bool:
        """Whether the service behind the client keeps what it is told in such a call."""
        return False

    @property
    def bare(self) -> ChatClient:
        """The client without what was put around it."""
        return self

    def with_context_providers(self, providers: Iterable[ContextProvider]) -> ChatClient:
        """This client with providers around each of its calls, those of an agent's tool loop among them.

        A `CompactionProvider` here changes what is sent; a history that is stored stays as it was.
        """
        from turnfold.agent.providing_client import ProvidingClient

        return ProvidingClient(self, providers)

    def as_agent(self, **options: Unpack[AgentOptions]) -> Agent:
        """An agent over this client; options as for `Agent`."""
        from turnfold.agent.agent import Agent

        return Agent(client=self, **options)

    async def close(self) -> None:  # noqa: B027 - most hold nothing open
        """Lets go of what the client holds open."""


def with_instructions(messages: Sequence[Mapping[str, Any]], options: Options) -> list[Mapping[str, Any]]:
    """The messages behind the instructions, as a system message, where there are any."""
    instructions = options.get("instructions")
    return [Message(role="system", content=instructions), *messages] if instructions else list(messages)
