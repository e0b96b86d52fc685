"""What the providers of one run, or of one model call, hand to each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from turnfold.history.agent_response import AgentResponse
from turnfold.history.conversation import Conversation
from turnfold.history.stamps import SourceType, stamped
from turnfold.messages import Message
from turnfold.tokens import TokenizerProtocol


class HasSourceId(Protocol):
    """A provider."""

    source_id: str


class SessionContext:
    """Made anew for each run: providers add to it before the model is called, and read the response afterwards.

    Attributes:
        session_id: of the session.
        service_session_id: set where the service behind the model keeps the history.
        input_messages: what the caller said.
        context_messages: messages of each provider, by source id, in the order of the providers.
        instructions: texts to stand behind the agent's own instructions.
        tools: tools for this run alone.
        options: of the run; to be read.
        metadata: the providers' own, for each other.
        response: what the run gave; None before it.
        tokenizer: what the run counts with; None: the default.
        history_source: source id of the history that compaction works on, None: there is none.
        conversation: that history as groups, once a provider has compacted it.
    """

    def __init__(
        self,
        *,
        session_id: str | None = None,
        service_session_id: str | None = None,
        input_messages: Sequence[Message] = (),
        options: Mapping[str, Any] | None = None,
        history_source: str | None = None,
        tokenizer: TokenizerProtocol | None = None,
    ) -> None:
        self.session_id, self.service_session_id = session_id, service_session_id
        self.input_messages = list(input_messages)
        self.context_messages: dict[str, list[Message]] = {}
        self.instructions: list[str] = []
        self.tools: list[Any] = []
        self.options = dict(options or {})
        self.metadata: dict[str, Any] = {}
        self.response: AgentResponse | None = None
        self.history_source, self.tokenizer = history_source, tokenizer
        self.conversation: Conversation | None = None

    def extend_messages(
        self,
        source: str | HasSourceId,
        messages: Iterable[Mapping[str, Any]],
        *,
        source_type: SourceType = SourceType.CONTEXT,
    ) -> None:
        """Adds copies of the messages, stamped with their source."""
        source_id = source if isinstance(source, str) else source.source_id
        self.context_messages.setdefault(source_id, []).extend(stamped(messages, source_id, source_type))

    def extend_instructions(self, source_id: str, instructions: str | Iterable[str]) -> None:
        """Adds instructions for this run."""
        self.instructions += [instructions] if isinstance(instructions, str) else instructions

    def extend_tools(self, source_id: str, tools: Iterable[Any]) -> None:
        """Adds tools for this run."""
        self.tools += tools

    def get_messages(
        self,
        *,
        sources: Iterable[str] | None = None,
        exclude_sources: Iterable[str] = (),
        include_input: bool = False,
        include_response: bool = False,
    ) -> list[Message]:
        """Messages of the providers, or of some of them, then, if asked for, what was said and what came of it."""
        wanted, left_out = None if sources is None else set(sources), set(exclude_sources)
        found = [
            message
            for source_id, messages in self.context_messages.items()
            if source_id not in left_out and (wanted is None or source_id in wanted)
            for message in messages
        ]
        if include_input:
            found += self.input_messages
        if include_response and self.response is not None:
            found += self.response.messages
        return found
