"""What workers share about a model, in this process."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from turnfold.sessions.memory_state import MemoryState, clock_ms
from turnfold.sessions.provider import (
    ASKING_MS,
    SLICE_MS,
    SLICES,
    Admission,
    ModelCall,
    ModelLimits,
    Outcome,
    Refusal,
    share_of,
    sweep_part,
)

BUSY_MS = 250
# How soon it is asked whether a call that tries an ill model has told something.
TRIAL_MS = 500


@dataclass(slots=True)
class ModelState:
    """A model: calls at work with their tenant and end, tenants that wait, what was booked by slice, its health."""

    running: dict[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])
    asking: dict[str, int] = field(default_factory=dict[str, int])
    requests: defaultdict[int, int] = field(default_factory=lambda: defaultdict[int, int](int))
    tokens: defaultdict[int, int] = field(default_factory=lambda: defaultdict[int, int](int))
    failures: int = 0
    open_until: int = 0
    trial_until: int = 0


class MemoryProvider(MemoryState):
    """The part of the store that workers share a model by."""

    def __init__(self, clock_ms: Callable[[], int] = clock_ms) -> None:
        super().__init__(clock_ms)
        self._models: defaultdict[str, ModelState] = defaultdict(ModelState)

    async def admit_call(self, call: ModelCall, limits: ModelLimits) -> Admission:
        model, now = self._models[call.model], self._clock_ms()
        _forget(model, now)
        refused = _ill(model, now) or _crowded(model, call, limits) or _overspent(model, call, limits, now)
        if refused is not None:
            model.asking[call.tenant] = now + ASKING_MS
            return refused
        if model.open_until:  # one call tries it
            model.trial_until = now + call.longest_ms
        model.running[call.id] = (call.tenant, now + call.longest_ms)
        model.asking.pop(call.tenant, None)
        number = now // SLICE_MS
        model.requests[number] += 1
        model.tokens[number] += call.tokens
        return Admission(slice=number)

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
        model, now = self._models[call.model], self._clock_ms()
        model.running.pop(call.id, None)
        model.trial_until = 0
        if admission.slice in model.tokens and tokens is not None:
            model.tokens[admission.slice] += tokens - call.tokens
        if outcome is Outcome.ANSWERED:
            model.failures = model.open_until = 0
        elif outcome is Outcome.FAILED:
            model.failures += 1
            pause_ms = max(pause_ms, _pause(model.failures - limits.failures_to_open, limits))
        if pause_ms > 0:
            model.open_until = max(model.open_until, now + pause_ms)


def _pause(over: int, limits: ModelLimits) -> int:
    return min(limits.longest_pause_ms, limits.first_pause_ms * 2 ** min(over, 30)) if over >= 0 else 0


def _forget(model: ModelState, now: int) -> None:
    model.running = {name: (who, end) for name, (who, end) in model.running.items() if end > now}
    model.asking = {who: end for who, end in model.asking.items() if end > now}
    for booked in (model.requests, model.tokens):
        for number in [number for number in booked if number <= now // SLICE_MS - SLICES]:
            del booked[number]


def _ill(model: ModelState, now: int) -> Admission | None:
    if model.open_until > now:
        return Admission(Refusal.OPEN, model.open_until - now)
    tried = model.open_until and model.trial_until > now
    return Admission(Refusal.OPEN, TRIAL_MS) if tried else None


def _crowded(model: ModelState, call: ModelCall, limits: ModelLimits) -> Admission | None:
    tenants = [tenant for tenant, _ in model.running.values()]
    mine, most = tenants.count(call.tenant), sweep_part(limits.concurrency, limits, live=call.live)
    busy = Admission(Refusal.BUSY, BUSY_MS)
    if limits.tenant_concurrency and mine >= limits.tenant_concurrency:
        return busy
    if not most:
        return None
    waiting = set(model.asking) - {call.tenant}
    share = share_of(most, len({*tenants, *waiting, call.tenant}))
    return busy if len(tenants) >= most or (waiting and mine >= share) else None


def _overspent(model: ModelState, call: ModelCall, limits: ModelLimits, now: int) -> Admission | None:
    wanted = (
        (model.requests, sweep_part(limits.requests_per_minute, limits, live=call.live), 1),
        (model.tokens, sweep_part(limits.tokens_per_minute, limits, live=call.live), call.tokens),
    )
    waits = [wait for booked, limit, more in wanted if (wait := _room_in(booked, limit, more, now))]
    return Admission(Refusal.BUDGET, max(waits)) if waits else None


def _room_in(booked: dict[int, int], limit: int, more: int, now: int) -> int | None:
    """In how many ms there is room for `more`; None: there is. More than the limit is let through alone."""
    total = sum(booked.values())
    if not limit or total + more <= limit or total <= 0:
        return None
    for number in sorted(booked):
        total -= booked[number]
        if total + more <= limit or total <= 0:
            return (number + SLICES) * SLICE_MS - now
    return SLICE_MS
