"""What loads a conversation's history before a run and stores the turn afterwards."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, TypedDict

from turnfold.compaction.strategy import at_least
from turnfold.history.agent_response import Usage
from turnfold.history.context_provider import ContextProvider
from turnfold.history.newest import newest_within
from turnfold.history.session import AgentSession
from turnfold.history.session_context import SessionContext
from turnfold.history.stamps import SourceType, is_from_history, without_stamp
from turnfold.messages import Message, as_message
from turnfold.tokens import TokenizerProtocol

MessageFilter = Callable[[list[Message]], Iterable[Mapping[str, Any]]]
FIRST_USAGE = "first_usage"
"""In a context's metadata: what the provider reported for the first model call of a run, a `Usage`."""


class HistoryOptions(TypedDict, total=False):
    """What can be said of every history; see `HistoryProvider`."""

    load_messages: bool
    store_inputs: bool
    store_outputs: bool
    store_context_messages: bool
    store_context_from: Iterable[str] | None
    provide_output_filter: MessageFilter | None
    store_input_filter: MessageFilter | None
    max_tokens: int | None
    max_messages: int | None
    tokenizer: TokenizerProtocol | None


class HistoryProvider(ContextProvider):
    """Base of all histories. The simple form overrides `get_messages` and `save_messages`; the advanced one both hooks.

    An agent has one history that loads. Others (`load_messages=False`) record: with `store_context_messages` also what
    other providers put into the run.

    Args:
        load_messages: whether the history is put before what the caller says.
        store_inputs, store_outputs: whether what the caller said, and what came of it, is stored.
        store_context_messages: whether messages of other providers are stored too.
        store_context_from: of these source ids alone.
        provide_output_filter: takes what was loaded, and returns what of it goes into the run.
        store_input_filter: takes what would be stored but for the outputs, and returns what of it is. What came from a
            history is not among it: it is never stored again.
        max_tokens, max_messages: bounds of what is loaded; the newest groups within them.
        tokenizer: counts `max_tokens`.
    """

    defers_summaries = False
    """Summaries of this history are made elsewhere, by workers, and no run waits for them."""

    def __init__(
        self,
        source_id: str,
        *,
        load_messages: bool = True,
        store_inputs: bool = True,
        store_outputs: bool = True,
        store_context_messages: bool = False,
        store_context_from: Iterable[str] | None = None,
        provide_output_filter: MessageFilter | None = None,
        store_input_filter: MessageFilter | None = None,
        max_tokens: int | None = None,
        max_messages: int | None = None,
        tokenizer: TokenizerProtocol | None = None,
    ) -> None:
        super().__init__(source_id)
        for name, bound in (("max_tokens", max_tokens), ("max_messages", max_messages)):
            if bound is not None:
                at_least(name, bound, 1)
        self.load_messages, self.store_inputs, self.store_outputs = load_messages, store_inputs, store_outputs
        self.store_context_messages = store_context_messages
        self.store_context_from = None if store_context_from is None else frozenset(store_context_from)
        self.provide_output_filter, self.store_input_filter = provide_output_filter, store_input_filter
        self.max_tokens, self.max_messages, self.tokenizer = max_tokens, max_messages, tokenizer

    @property
    def is_bounded(self) -> bool:
        """Whether a part of the history may be all that is loaded."""
        return self.max_tokens is not None or self.max_messages is not None or self.provide_output_filter is not None

    def get_messages(
        self, session_id: Any, *, state: dict[str, Any] | None = None, **kwargs: Any
    ) -> Awaitable[list[Message]]:
        """The history of a session, oldest first. Override it, as a coroutine.

        Args:
            session_id: of the session.
            state: the provider's part of the session's state.
        """
        raise NotImplementedError(f"{type(self).__name__} has no get_messages, and overrides no before_run")

    async def save_messages(
        self,
        session_id: Any,
        messages: Sequence[Message],
        *,
        state: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Adds messages, none of which was stored before, at the end of the history. Override it."""
        raise NotImplementedError(f"{type(self).__name__} has no save_messages, and overrides no after_run")

    async def request_summary(self, session_id: str) -> None:
        """Asks for a summary that is made elsewhere; nothing where this history has none of those."""

    async def before_run(
        self, *, agent: Any, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Loads, filters, bounds and stamps the history. Called only where `load_messages` is set."""
        loaded: list[Message] = [as_message(m) for m in await self.get_messages(context.session_id, state=state)]
        if self.provide_output_filter is not None:
            loaded = [as_message(m) for m in self.provide_output_filter(loaded)]
        if self.max_tokens is not None or self.max_messages is not None:
            loaded = newest_within(
                loaded, max_tokens=self.max_tokens, max_messages=self.max_messages, tokenizer=self.tokenizer
            )
        context.extend_messages(self, loaded, source_type=SourceType.HISTORY)

    async def after_run(
        self, *, agent: Any, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Stores what the flags and the filter let through, in one call of `save_messages`."""
        wanted = self.to_store(context)
        if wanted:
            await self.save_messages(context.session_id, wanted, state=state)

    def to_store(self, context: SessionContext) -> list[Message]:
        """What of a run goes into this history: messages of other providers, what was said, what came of it."""
        wanted = self._context_to_store(context)
        if self.store_inputs:
            wanted += [message for message in context.input_messages if not is_from_history(message)]
        if self.store_input_filter is not None:
            wanted = [as_message(m) for m in self.store_input_filter(wanted)]
        if self.store_outputs and context.response is not None:
            wanted += context.response.messages
        return wanted

    def _context_to_store(self, context: SessionContext) -> list[Message]:
        if not self.store_context_messages:
            return []
        found = context.get_messages(sources=self.store_context_from, exclude_sources=(self.source_id,))
        # A history that loads must not take over what another one has; one that records takes all of it.
        return [without_stamp(m) for m in found if not (self.load_messages and is_from_history(m))]


def first_usage(context: SessionContext) -> Usage | None:
    """What the provider reported for the first call of the run."""
    usage = context.metadata.get(FIRST_USAGE)
    return usage if isinstance(usage, Usage) else None
