"""Compaction within a run: before each model call, on the same groups, so that nothing is summarized twice."""

from __future__ import annotations

from collections.abc import Iterable

from turnfold import telemetry
from turnfold.agent.run_plan import RunPlan
from turnfold.compaction.run import DEFERRED, CompactionRun
from turnfold.errors import TurnfoldError
from turnfold.groups import MessageGroup
from turnfold.history.compaction_view import CompactionView, read_view, write_view
from turnfold.history.conversation import Conversation
from turnfold.history.provider_scope import provider_scope
from turnfold.history.session_context import SessionContext
from turnfold.history.summary_pause import SummaryPause
from turnfold.messages import Message
from turnfold.summaries.chat_client import ChatClientSummarizer

_LOG = telemetry.logger(__name__)


class RunCompaction:
    """The run's messages as groups: history, what other providers added, what was said, what comes of it.

    What a strategy makes of them is kept in the session; a summary at once, because it was paid for.
    """

    def __init__(self, plan: RunPlan, context: SessionContext) -> None:
        self._plan, self._context = plan, context
        self._conversation = Conversation()
        self._asked: MessageGroup | None = None
        self._before = CompactionView()
        self._summary_is_due = False
        self._pause = SummaryPause()
        self.is_unchanged = True
        """Nothing was hidden from the model so far."""

    def begin(self, *, overhead_tokens: int) -> None:
        """Takes in what the run begins with, once all providers have added to it.

        Args:
            overhead_tokens: of what is sent beside the messages.
        """
        source = self._context.history_source
        history = self._context.get_messages(sources=() if source is None else (source,))
        self._conversation = self._compacted(history) or self._restored(history)
        self._before = self._conversation.view()
        self._conversation.index.overhead_tokens = overhead_tokens
        others = self._context.get_messages(exclude_sources=() if source is None else (source,))
        self._conversation.append([*others, *self._context.input_messages])
        self._asked = self._conversation.newest_user_group()

    def append(self, messages: Iterable[Message]) -> None:
        """Takes in what the run gives."""
        self._conversation.append(messages)

    async def before_call(self) -> None:
        """Runs the strategy, unless the service keeps the conversation."""
        plan = self._plan
        if plan.strategy is None or plan.is_kept_by_service:
            return
        defers = plan.history is not None and plan.history.defers_summaries
        run = CompactionRun(
            summarizer=ChatClientSummarizer(plan.agent.client.bare), deferred=self._pause.begin() or defers
        )
        known = len(self._conversation.index.made_groups)
        asked = [self._asked] if self._asked is not None else []
        changed = await self._conversation.compact(plan.strategy, run=run, protected=asked)
        self.is_unchanged = self.is_unchanged and not changed
        self._summary_is_due = self._summary_is_due or (defers and _has(run, DEFERRED))
        self._pause.learn(run)
        if any(made.durable for made in self._conversation.index.made_groups[known:]):
            self.keep()

    def projection(self) -> list[Message]:
        """What the model is sent."""
        return self._conversation.projection()

    def keep(self) -> None:
        """Keeps in the session what compaction made, so that the next run has it."""
        plan = self._plan
        if plan.strategy is None or plan.is_kept_by_service or plan.history is None:
            return
        with provider_scope(plan.session, plan.view_source) as state:
            view = self._conversation.view()
            if plan.strategy_is_for_this_run:
                view = self._before.with_summaries_of(view)
            write_view(state, view)

    async def request_summary(self) -> None:
        """Where workers make the summaries: asks for the one that the strategy found due."""
        history = self._plan.history
        if not self._summary_is_due or history is None:
            return
        try:
            await history.request_summary(self._plan.session.session_id)
        except TurnfoldError as error:  # the turn is stored; the next one asks again
            _LOG.warning(telemetry.COMPACTION_FAILED, session=self._plan.session.session_id, error=str(error))

    def _compacted(self, history: list[Message]) -> Conversation | None:
        """What a provider has made of the history already, if what it left is what is there."""
        found = self._context.conversation
        if found is None or [id(message) for message in found.projection()] != [id(message) for message in history]:
            return None
        wanted = self._plan.tokenizer
        return found if wanted is None or wanted is found.index.tokenizer else found.counted_by(wanted)

    def _restored(self, history: list[Message]) -> Conversation:
        plan = self._plan
        view = read_view(plan.session.state.get(plan.view_source) or {})
        # What is there is a part of the history, or what somebody made of it: records for the rest stay.
        is_part = self._context.conversation is not None or (plan.history is not None and plan.history.is_bounded)
        return Conversation(history, view=view, tokenizer=plan.tokenizer, keep_unresolved=is_part)


def _has(run: CompactionRun, reason: str) -> bool:
    return any(action.reason == reason for action in run.actions)
