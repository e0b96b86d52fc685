"""What a run is asked to do, decided before anything is done."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from turnfold.agent.tool import FunctionTool, as_tools
from turnfold.errors import BadInput
from turnfold.history.compaction_provider import CompactionProvider
from turnfold.history.context_provider import ContextProvider
from turnfold.history.conversation import Strategy, checked_compaction
from turnfold.history.history_provider import HistoryProvider
from turnfold.history.message_keys import ID
from turnfold.history.session import AgentSession
from turnfold.messages import Message, checked_messages
from turnfold.tokens import TokenizerProtocol

if TYPE_CHECKING:
    from turnfold.agent.agent import Agent

AgentInput = str | Mapping[str, Any] | Sequence[str | Mapping[str, Any]] | None
PER_CALL = "require_per_service_call_history_persistence"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """One run.

    Attributes:
        said: what the caller says, as new messages.
        providers: in order; those that step aside are left out.
        history: the one that loads, None: the service keeps the conversation, or there is no session.
        strategy_is_for_this_run: what it hides is shown again in the next run; what it summarized stays so.
        conversation_id: of the service's conversation to go on with, None: there is none yet.
        is_kept_by_service: history and compaction are the service's business.
        saves_each_call: history is written after each model call, not once.
    """

    agent: Agent
    session: AgentSession
    said: list[Message]
    options: dict[str, Any]
    tools: list[FunctionTool | Mapping[str, Any]]
    providers: tuple[ContextProvider, ...]
    history: HistoryProvider | None
    strategy: Strategy | None
    strategy_is_for_this_run: bool
    tokenizer: TokenizerProtocol | None
    conversation_id: str | None
    is_kept_by_service: bool
    saves_each_call: bool

    @property
    def histories(self) -> list[HistoryProvider]:
        return [one for one in self.providers if isinstance(one, HistoryProvider)]

    @property
    def others(self) -> list[ContextProvider]:
        return [one for one in self.providers if not isinstance(one, HistoryProvider)]

    @property
    def source_ids(self) -> tuple[str, ...]:
        """Of all providers of the agent, those that step aside too."""
        return tuple(one.source_id for one in self.agent.providers(has_session=True))

    @property
    def view_source(self) -> str:
        """Where the session keeps what compaction made of the history: with the agent's compaction provider."""
        found = (one.source_id for one in self.providers if isinstance(one, CompactionProvider))
        return next(found, CompactionProvider().source_id)


def plan_run(
    agent: Agent,
    said: AgentInput,
    session: AgentSession | None,
    *,
    options: Mapping[str, Any] | None,
    tools: Any,
    strategy: Strategy | None,
    tokenizer: TokenizerProtocol | None,
) -> RunPlan:
    """The plan of a run: what it is given, over what the agent has, over what the client has.

    Raises:
        BadInput: the input is not valid; or history is to be written after each call of a conversation that the service
            keeps.
    """
    checked_compaction(strategy, tokenizer, name="compaction_strategy")
    merged = {**agent.default_options, **(options or {})}
    conversation_id = merged.pop("conversation_id", None)
    if conversation_id is None:
        conversation_id = (session.service_session_id if session else None) or agent.service_session_id
    kept = conversation_id is not None or agent.client.keeps_conversation(merged)
    if kept and agent.saves_each_call:
        raise BadInput(
            PER_CALL,
            "can't be used for a conversation that the service keeps (service_session_id, conversation_id, or a "
            "Responses call with store on): its history would be kept twice; turn one of the two off",
        )
    history = agent.loading_history(has_session=session is not None)
    providers = agent.providers(has_session=session is not None)
    return RunPlan(
        agent=agent,
        session=session or AgentSession(),
        said=as_input(said),
        options={name: value for name, value in merged.items() if name != "tools"},
        tools=[*agent.tools, *as_tools(merged.get("tools")), *as_tools(tools)],
        providers=tuple(one for one in providers if not (kept and one is history)),
        history=None if kept else history,
        strategy=strategy or agent.compaction_strategy or agent.client.compaction_strategy,
        strategy_is_for_this_run=strategy is not None,
        tokenizer=tokenizer or agent.tokenizer or agent.client.tokenizer,
        conversation_id=conversation_id,
        is_kept_by_service=kept,
        saves_each_call=agent.saves_each_call,
    )


def as_input(said: AgentInput) -> list[Message]:
    """What a caller says, as new messages.

    Raises:
        BadInput: naming the field that is wrong.
    """
    if said is None:
        return []
    given: Iterable[Any] = [said] if isinstance(said, (str, Mapping)) else said
    if not hasattr(given, "__iter__"):
        raise BadInput("input", f"must be a text, a message, or a list of them, not {said!r}")
    messages = [Message(role="user", content=one) if isinstance(one, str) else one for one in given]
    return as_new(checked_messages(messages, "input"))


def as_new(messages: Iterable[Message]) -> list[Message]:
    """Copies without the id of an earlier run: said again, it is another message."""
    return [Message.marked(m, {name: value for name, value in m.metadata.items() if name != ID}) for m in messages]
