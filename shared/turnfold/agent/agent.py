"""An agent: what is used."""

from __future__ import annotations

import uuid
import warnings
from collections.abc import Coroutine, Iterable, Mapping
from typing import Any, Literal, overload

from turnfold.agent.any_client import as_chat_client
from turnfold.agent.providing_client import ProvidingClient
from turnfold.agent.response_stream import ResponseStream
from turnfold.agent.run import Run
from turnfold.agent.run_plan import AgentInput, RunPlan, plan_run
from turnfold.agent.tool import Tool, as_tools
from turnfold.compaction.strategy import at_least
from turnfold.errors import BadInput
from turnfold.history.agent_response import AgentResponse
from turnfold.history.compaction_provider import CompactionProvider
from turnfold.history.context_provider import ContextProvider
from turnfold.history.conversation import Strategy, checked_compaction
from turnfold.history.history_provider import HistoryProvider
from turnfold.history.in_memory_history_provider import InMemoryHistoryProvider
from turnfold.history.session import AgentSession
from turnfold.tokens import TokenizerProtocol

MAX_TOOL_ROUNDS = 200


class Agent:
    """A model with instructions and tools, run over sessions. It holds nothing of any session: one serves all.

    Args:
        client: a `ChatClient`, an `openai.AsyncOpenAI`, or anything with
            `async get_response(messages, *, options=None)`.
        instructions: how the model is to behave; sent with each call, never part of a history.
        tools: Python functions, and schemas of tools whose calls the caller answers.
        context_providers: histories and what else adds to a run, in order. One history may load; without one a run with
            a session keeps its history in the session.
        default_options: of every call; a run's own go over them.
        compaction_strategy, tokenizer: used before each model call; a run's own go over them, the client's below.
        require_per_service_call_history_persistence: history is written after each model call, not once a run.
        service_session_id: the conversation of all runs whose session has none of its own, where a service keeps it.
        max_tool_rounds: after so many model calls the next one is told to call no more tools.

    Raises:
        ValueError: two histories load, or two providers have one source id.
        BadInput: a tool is not valid.
    """

    def __init__(
        self,
        client: Any,
        instructions: str | None = None,
        *,
        id: str | None = None,  # noqa: A002 - as the published designs name it
        name: str | None = None,
        description: str | None = None,
        tools: Tool | Iterable[Tool] | None = None,
        context_providers: Iterable[ContextProvider] | None = None,
        default_options: Mapping[str, Any] | None = None,
        compaction_strategy: Strategy | None = None,
        tokenizer: TokenizerProtocol | None = None,
        require_per_service_call_history_persistence: bool = False,
        service_session_id: str | None = None,
        max_tool_rounds: int = MAX_TOOL_ROUNDS,
    ) -> None:
        at_least("max_tool_rounds", max_tool_rounds, 1)
        checked_compaction(compaction_strategy, tokenizer, name="compaction_strategy")
        self.client = as_chat_client(client)
        self.instructions, self.name, self.description = instructions, name, description
        self.id = id or str(uuid.uuid4())
        self.tools = as_tools(tools)
        self.context_providers = _checked(tuple(context_providers or ()))
        self.default_options: dict[str, Any] = dict(default_options or {})
        self.compaction_strategy, self.tokenizer = compaction_strategy, tokenizer
        self.saves_each_call = require_per_service_call_history_persistence
        self.service_session_id, self.max_tool_rounds = service_session_id, max_tool_rounds
        self._default_history = InMemoryHistoryProvider()
        self._has_told = False

    def create_session(self, *, session_id: str | None = None) -> AgentSession:
        """A new session."""
        return AgentSession(session_id=session_id)

    def get_session(self, service_session_id: str, *, session_id: str | None = None) -> AgentSession:
        """A session that goes on with a conversation that the service behind the model keeps."""
        return AgentSession(session_id=session_id, service_session_id=service_session_id)

    @overload
    def run(
        self,
        messages: AgentInput = None,
        *,
        session: AgentSession | None = None,
        stream: Literal[False] = False,
        options: Mapping[str, Any] | None = None,
        tools: Tool | Iterable[Tool] | None = None,
        compaction_strategy: Strategy | None = None,
        tokenizer: TokenizerProtocol | None = None,
    ) -> Coroutine[Any, Any, AgentResponse]: ...
    @overload
    def run(
        self,
        messages: AgentInput = None,
        *,
        session: AgentSession | None = None,
        stream: Literal[True],
        options: Mapping[str, Any] | None = None,
        tools: Tool | Iterable[Tool] | None = None,
        compaction_strategy: Strategy | None = None,
        tokenizer: TokenizerProtocol | None = None,
    ) -> ResponseStream: ...
    def run(
        self,
        messages: AgentInput = None,
        *,
        session: AgentSession | None = None,
        stream: bool = False,
        options: Mapping[str, Any] | None = None,
        tools: Tool | Iterable[Tool] | None = None,
        compaction_strategy: Strategy | None = None,
        tokenizer: TokenizerProtocol | None = None,
    ) -> Coroutine[Any, Any, AgentResponse] | ResponseStream:
        """Says something to the model, and answers its calls until it has none; what was said and came of it is stored.

        A run that fails stores nothing.

        Args:
            messages: a text, a message, or several of them.
            session: the conversation; without one nothing is kept.
            stream: the reply as it comes: `async for update in agent.run(…, stream=True)`.
            options: of the model's calls.
            tools: beside the agent's own.
            compaction_strategy, tokenizer: for this run.

        Raises:
            BadInput: before any model call; see `plan_run`.
            Whatever the client, a history or a provider's first phase raises.
        """
        planned = {
            "options": options, "tools": tools, "strategy": compaction_strategy, "tokenizer": tokenizer,
        }  # fmt: skip
        if stream:
            return ResponseStream(Run(self._plan(messages, session, planned)))
        return self._run(messages, session, planned)

    def run_stream(self, messages: AgentInput = None, **given: Any) -> ResponseStream:
        """`run` with `stream=True`."""
        return self.run(messages, stream=True, **given)

    @property
    def history_providers(self) -> list[HistoryProvider]:
        """Histories that runs with a session use."""
        return [one for one in self.providers(has_session=True) if isinstance(one, HistoryProvider)]

    def loading_history(self, *, has_session: bool) -> HistoryProvider | None:
        """The history that loads."""
        found = (one for one in self.providers(has_session=has_session) if isinstance(one, HistoryProvider))
        return next((one for one in found if one.load_messages), None)

    def providers(self, *, has_session: bool) -> tuple[ContextProvider, ...]:
        """The providers of a run; with a session there is a history among them."""
        own = self.context_providers
        loads = any(isinstance(one, HistoryProvider) and one.load_messages for one in own)
        return own if loads or not has_session else (self._default_history, *own)

    async def _run(self, messages: AgentInput, session: AgentSession | None, planned: dict[str, Any]) -> AgentResponse:
        run = Run(self._plan(messages, session, planned))
        async for _ in run.steps(streaming=False):
            pass
        return run.response

    def _plan(self, messages: AgentInput, session: AgentSession | None, planned: dict[str, Any]) -> RunPlan:
        plan = plan_run(self, messages, session, **planned)
        _compare_sources(plan)
        if plan.is_kept_by_service and not self._has_told and self._compacts(plan):
            self._has_told = True
            warnings.warn(
                "compaction does nothing here: the service behind the model keeps the conversation", stacklevel=4
            )
        return plan

    def _compacts(self, plan: RunPlan) -> bool:
        of_client = self.client.context_providers if isinstance(self.client, ProvidingClient) else ()
        found = any(isinstance(one, CompactionProvider) for one in (*plan.providers, *of_client))
        return found or plan.strategy is not None


def _checked(providers: tuple[ContextProvider, ...]) -> tuple[ContextProvider, ...]:
    ids = [provider.source_id for provider in providers]
    if twice := sorted({source_id for source_id in ids if ids.count(source_id) > 1}):
        raise BadInput("context_providers", f"two have the source id {twice[0]!r}; give each its own")
    loading = [one.source_id for one in providers if isinstance(one, HistoryProvider) and one.load_messages]
    if len(loading) > 1:
        raise BadInput(
            "context_providers",
            f"{' and '.join(repr(one) for one in loading)} both load history; give all but one load_messages=False",
        )
    return providers


def _compare_sources(plan: RunPlan) -> None:
    """Says, once a restored session, where it was stored with other providers."""
    stored = set(plan.session.restored_source_ids)
    plan.session.restored_source_ids = ()
    now = set(plan.source_ids)
    if stored and stored != now:
        gone, new = ", ".join(sorted(stored - now)) or "none", ", ".join(sorted(now - stored)) or "none"
        warnings.warn(
            f"the session was stored with other providers: missing here: {gone}; new here: {new}", stacklevel=5
        )
