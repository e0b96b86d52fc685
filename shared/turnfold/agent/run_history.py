"""What of a run is stored, and when: once it has succeeded, or after each call of its model."""

from __future__ import annotations

from collections.abc import Iterable

from turnfold import telemetry
from turnfold.agent.run_plan import RunPlan
from turnfold.history.agent_response import AgentResponse
from turnfold.history.provider_scope import provider_scope
from turnfold.history.session_context import SessionContext
from turnfold.messages import Message

_LOG = telemetry.logger(__name__)


class RunHistory:
    """Histories come first, other providers after them: what those do sees the turn, and can't cost it."""

    def __init__(self, plan: RunPlan, context: SessionContext) -> None:
        self._plan, self._context = plan, context
        self._unsaved: list[Message] = []
        self._is_begun = False

    def add(self, messages: Iterable[Message]) -> None:
        """Messages that the run gave."""
        self._unsaved += messages

    async def after_call(self) -> None:
        """Stores what is new, where each call is to be stored. Results go with the call that they are sent in."""
        if self._plan.saves_each_call:
            await self._save()

    async def after_run(self) -> None:
        """Stores what is not stored yet."""
        if self._unsaved or not self._is_begun:
            await self._save()

    async def after_others(self) -> None:
        """Tells all other providers. What one of them raises is logged: the turn is stored, and the reply was paid."""
        plan = self._plan
        for provider in plan.others:
            try:
                with provider_scope(plan.session, provider.source_id) as state:
                    await provider.after_run(agent=plan.agent, session=plan.session, context=self._context, state=state)
            except Exception:  # noqa: BLE001 - whatever it was, it must not cost the reply
                _LOG.exception(telemetry.PROVIDER_FAILED, source=provider.source_id, session=plan.session.session_id)

    async def _save(self) -> None:
        plan, context = self._plan, self._part()
        for provider in plan.histories:
            with provider_scope(plan.session, provider.source_id) as state:
                await provider.after_run(agent=plan.agent, session=plan.session, context=context, state=state)
        self._unsaved, self._is_begun = [], True

    def _part(self) -> SessionContext:
        """The context of what is stored now: what was said and what other providers added go with the first part."""
        whole = self._context
        part = SessionContext(
            session_id=whole.session_id,
            service_session_id=whole.service_session_id,
            input_messages=() if self._is_begun else whole.input_messages,
            options=whole.options,
            history_source=whole.history_source,
            tokenizer=whole.tokenizer,
        )
        if not self._is_begun:
            part.context_messages, part.metadata = whole.context_messages, whole.metadata
            part.conversation = whole.conversation
        part.response = AgentResponse(messages=list(self._unsaved))
        return part
