"""Compaction around a run: of what is loaded before it, and of what is stored after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from turnfold import telemetry
from turnfold.compaction.custom import as_strategy
from turnfold.compaction.run import CompactionRun
from turnfold.compaction.strategy import CompactionStrategy
from turnfold.groups import MessageGroup
from turnfold.history.compaction_view import read_view, write_view
from turnfold.history.context_provider import ContextProvider
from turnfold.history.conversation import Conversation, Strategy
from turnfold.history.history_provider import HistoryProvider
from turnfold.history.session import AgentSession
from turnfold.history.session_context import SessionContext
from turnfold.history.summary_pause import SummaryPause
from turnfold.tokens import TokenizerProtocol

DEFAULT_SOURCE_ID = "compaction"
_LOG = telemetry.logger(__name__)


class CompactionProvider(ContextProvider):
    """Compacts a history; the history itself stays whole, what compaction made of it is kept in the session.

    Registered with an **agent** it works once before a run and once after it. Registered with a **client**
    (`client.with_context_providers([…])`) it works before every model call, on all that is sent; there is no after
    phase.

    Args:
        before_strategy: on what was loaded, before the model is called; None: what earlier runs made of it stays so.
        after_strategy: on what is stored, the turn that just ended among it. What goes wrong in it is logged, and
            costs neither the turn nor what was compacted before.
        tokenizer: counts; the run's own if not given.
        source_id: where the session keeps what compaction made; one of their own for agents with other strategies that
            share sessions.
        history_source_id: of the history to compact; the one that loads if not given.
    """

    def __init__(
        self,
        before_strategy: Strategy | None = None,
        after_strategy: Strategy | None = None,
        *,
        tokenizer: TokenizerProtocol | None = None,
        source_id: str = DEFAULT_SOURCE_ID,
        history_source_id: str | None = None,
    ) -> None:
        super().__init__(source_id)
        self.before_strategy = None if before_strategy is None else as_strategy(before_strategy, "before_strategy")
        self.after_strategy = None if after_strategy is None else as_strategy(after_strategy, "after_strategy")
        self.tokenizer, self.history_source_id = tokenizer, history_source_id

    async def before_run(
        self, *, agent: Any, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        source = self._source(context)
        messages = context.context_messages.get(source or "")
        if source is None or not messages:
            return
        conversation = Conversation(
            messages,
            view=read_view(state),
            tokenizer=self.tokenizer or context.tokenizer,
            keep_unresolved=_is_bounded(agent, source),
        )
        if self.before_strategy is not None:
            # Of what a client is about to send, what the user asks for stays, however many tools are called for it.
            asked = conversation.newest_user_group() if agent is None else None
            await self._compact(self.before_strategy, conversation, state, protected=[asked] if asked else ())
        context.context_messages[source] = conversation.projection()
        if source == context.history_source:
            context.conversation = conversation

    async def after_run(
        self, *, agent: Any, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        history = _history(agent, self._source(context))
        if self.after_strategy is None or history is None:
            return
        try:
            kept = session.state.get(history.source_id)
            messages = await history.get_messages(context.session_id, state=kept)
            conversation = Conversation(
                messages,
                view=read_view(state),
                tokenizer=self.tokenizer or context.tokenizer,
                keep_unresolved=history.is_bounded,
            )
            await self._compact(self.after_strategy, conversation, state)
        except Exception:  # noqa: BLE001 - whatever it was, the turn that ended is stored and stays so
            _LOG.exception(telemetry.COMPACTION_FAILED, source=self.source_id, session=session.session_id)

    async def _compact(
        self,
        strategy: CompactionStrategy,
        conversation: Conversation,
        state: dict[str, Any],
        protected: Sequence[MessageGroup] = (),
    ) -> None:
        pause = SummaryPause.read(state)
        run = CompactionRun(deferred=pause.begin())
        await conversation.compact(strategy, run=run, protected=protected)
        pause.learn(run)
        pause.write(state)
        write_view(state, conversation.view())

    def _source(self, context: SessionContext) -> str | None:
        if context.history_source is None or context.service_session_id is not None:
            return None
        wanted = self.history_source_id
        return context.history_source if wanted is None or wanted not in context.context_messages else wanted


def _history(agent: Any, source_id: str | None) -> HistoryProvider | None:
    providers: Any = getattr(agent, "history_providers", ())
    return next((one for one in providers if one.source_id == source_id), None)


def _is_bounded(agent: Any, source_id: str) -> bool:
    history = _history(agent, source_id)
    return history is not None and history.is_bounded
