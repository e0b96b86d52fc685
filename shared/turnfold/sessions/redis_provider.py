"""What workers share about a model, in Redis: one script to ask, one to tell."""

from __future__ import annotations

from turnfold.sessions import keys
from turnfold.sessions.provider import (
    ASKING_MS,
    FORGET_MS,
    SLICE_MS,
    SLICES,
    Admission,
    ModelCall,
    ModelLimits,
    Outcome,
    Refusal,
    sweep_part,
)
from turnfold.sessions.redis_connection import RedisConnection


class RedisProvider(RedisConnection):
    """The part of the store that workers share a model by."""

    async def admit_call(self, call: ModelCall, limits: ModelLimits) -> Admission:
        part = (limits.requests_per_minute, limits.tokens_per_minute, limits.concurrency)
        arguments = [
            call.id, keys.encoded(call.tenant), call.tokens, call.longest_ms,
            *(sweep_part(limit, limits, live=call.live) for limit in part), limits.tenant_concurrency,
            SLICE_MS, SLICES, ASKING_MS, FORGET_MS, call.longest_ms,
        ]  # fmt: skip
        names = [keys.model(call.model), keys.model_calls(call.model), keys.model_asking(call.model)]
        refusal, wait_ms, slice_number = await self.run("admit_call", names, arguments)
        return Admission(Refusal(refusal.decode()) if refusal else None, int(wait_ms), int(slice_number))

    async def settle_call(
        self,
        call: ModelCall,
        limits: ModelLimits,
        admission: Admission,
        outcome: Outcome,
        *,
        tokens: int | None = None,
        pause_ms: int = 0,
    ) -> None:
        more = 0 if tokens is None else tokens - call.tokens
        arguments = [
            call.id, keys.encoded(call.tenant), admission.slice, more, str(outcome), pause_ms,
            limits.failures_to_open, limits.first_pause_ms, limits.longest_pause_ms, FORGET_MS,
        ]  # fmt: skip
        await self.run("settle_call", [keys.model(call.model), keys.model_calls(call.model)], arguments)
