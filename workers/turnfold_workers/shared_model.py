"""A summarizer whose model is shared: asked within the limits that all workers keep together, and while it is well.

Who waits for room waits a moment here, and then gives its job back: that is no try of the job, and costs nothing. A
model that has failed again and again is left alone by all workers, and its second model is asked meanwhile.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from turnfold import telemetry
from turnfold.errors import FailureKind, SummarizerDeferred, SummarizerRefused, SummarizerTransient, Unavailable
from turnfold.sessions.provider import Admission, ModelCall, ModelLimits, Outcome, Refusal
from turnfold.sessions.store import SessionStore
from turnfold.summaries.prompt import prompt_cost
from turnfold.summaries.summarizer import HasFallbackModel, NamesModel, Summarizer, SummaryReply, SummaryRequest

log = telemetry.logger(__name__)
# How long a job waits in its worker for room, before it is given back.
PATIENCE_SECONDS = 4.0
# A call whose worker was killed is over by then, for the count of those at work.
SPARE_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedModel:
    """A summarizer for one job.

    Attributes:
        summarizer: asks the model.
        limits: of each model, for all workers together.
        call_seconds: a call that takes longer is given up, however much of its answer has come.
        tenant: whose job it is.
        live: somebody is about to speak.
    """

    summarizer: Summarizer
    store: SessionStore
    limits: ModelLimits
    call_seconds: float
    tenant: str
    live: bool

    @property
    def name(self) -> str:
        return self.summarizer.name

    @property
    def fallback_model(self) -> str | None:
        return self.summarizer.fallback_model if isinstance(self.summarizer, HasFallbackModel) else None

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        """As the summarizer does.

        Raises:
            SummarizerDeferred: there is no room for the call now; nothing was asked.
        """
        deferred = SummarizerDeferred()
        for asked in self._asked(request):
            call = self._call(asked)
            admission = await self._admission(call)
            if admission.refusal is None:
                return await self._ask(asked, call, admission)
            wait = admission.wait_ms / 1000
            deferred = SummarizerDeferred(f"no room for a call now: {admission.refusal}", retry_after_seconds=wait)
            log.info(telemetry.CALL_DEFERRED, model=call.model, reason=str(admission.refusal), delay=wait)
            if admission.refusal is not Refusal.OPEN:
                break
        raise deferred

    def _asked(self, request: SummaryRequest) -> Iterator[SummaryRequest]:
        yield request
        if self.fallback_model and self.fallback_model != self._model_of(request):
            yield replace(request, model=self.fallback_model)

    def _model_of(self, request: SummaryRequest) -> str:
        named = self.summarizer.model_of(request) if isinstance(self.summarizer, NamesModel) else request.model
        return named or self.summarizer.name

    def _call(self, request: SummaryRequest) -> ModelCall:
        read = request.source_tokens + request.count_tokens(prompt_cost(request.prompt))
        return ModelCall(
            model=self._model_of(request),
            tenant=self.tenant,
            tokens=read + request.max_tokens,
            live=self.live,
            longest_ms=int((self.call_seconds + SPARE_SECONDS) * 1000),
        )

    async def _admission(self, call: ModelCall) -> Admission:
        """The answer, after a wait for room if that is short."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            admission = await self.store.admit_call(call, self.limits)
            wait = admission.wait_ms / 1000 * random.uniform(0.8, 1.2)  # spread, no secret
            if admission.refusal is None or time.monotonic() + wait > deadline:
                return admission
            await asyncio.sleep(wait)

    async def _ask(self, request: SummaryRequest, call: ModelCall, admission: Admission) -> SummaryReply:
        outcome, tokens, pause_ms = Outcome.UNKNOWN, None, 0
        try:
            async with asyncio.timeout(self.call_seconds):
                reply = await self.summarizer.summarize(request)
            outcome, tokens = Outcome.ANSWERED, (reply.prompt_tokens + reply.completion_tokens) or None
            return reply
        except SummarizerRefused:
            outcome = Outcome.ANSWERED
            raise
        except TimeoutError as error:
            outcome = Outcome.FAILED
            said = f"the model's answer was not whole within {self.call_seconds:g} s"
            raise SummarizerTransient(said, kind=FailureKind.TIMED_OUT) from error
        except SummarizerTransient as error:
            outcome, pause_ms = Outcome.FAILED, int((error.retry_after_seconds or 0) * 1000)
            raise
        finally:
            await self._tell(call, admission, outcome, tokens=tokens, pause_ms=pause_ms)

    async def _tell(
        self, call: ModelCall, admission: Admission, outcome: Outcome, *, tokens: int | None, pause_ms: int
    ) -> None:
        pause_ms = min(pause_ms, self.limits.longest_pause_ms)
        with suppress(Unavailable):  # the call is forgotten after its longest time
            await self.store.settle_call(call, self.limits, admission, outcome, tokens=tokens, pause_ms=pause_ms)
