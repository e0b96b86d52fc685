"""What all workers share about a model: how much of it is being used, and whether it answers at all.

A call of a model is asked for first, and told of afterwards; each is one round trip. So the limits of a provider hold
for all workers together, and one that is down is left alone by all of them once a few have found that out.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

# A minute is counted in slices, and one slice more than a minute is looked at: so no stretch of sixty seconds, wherever
# it begins, holds more than the limit.
SLICE_MS = 5_000
SLICES = 13
# A tenant that was told to wait counts as waiting for so long.
ASKING_MS = 2_000
# A model that is never asked again is forgotten.
FORGET_MS = 3_600_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelLimits:
    """What all workers together may ask of one model; 0: no limit.

    Attributes:
        requests_per_minute, tokens_per_minute: in any sixty seconds.
        concurrency: calls at a time. With several tenants at work, each that waits gets its share of them.
        tenant_concurrency: calls at a time of one tenant.
        sweep_share: of each limit, what jobs that nobody waits for may use: the rest is kept for live ones.
        failures_to_open: so many failures one after the other, and the model is left alone …
        first_pause_ms, longest_pause_ms: … for so long, doubled with each further failure; one call tries it then.
    """

    requests_per_minute: int = 0
    tokens_per_minute: int = 0
    concurrency: int = 0
    tenant_concurrency: int = 0
    sweep_share: float = 0.8
    failures_to_open: int = 5
    first_pause_ms: int = 5_000
    longest_pause_ms: int = 120_000


UNLIMITED = ModelLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """A call that somebody wants to make.

    Attributes:
        tokens: about how many it will read and write.
        live: somebody is about to speak.
        longest_ms: after this it is over, whatever becomes of who made it.
    """

    model: str
    tenant: str
    tokens: int
    live: bool
    longest_ms: int
    id: str = field(default_factory=lambda: secrets.token_hex(8))


class Refusal(StrEnum):
    """Why a call may not be made now."""

    OPEN = "open"
    BUSY = "busy"
    BUDGET = "budget"


@dataclass(frozen=True, slots=True)
class Admission:
    """Whether a call may be made; if not, why, and in how many milliseconds it makes sense to ask again.

    `slice` is where its tokens are booked.
    """

    refusal: Refusal | None = None
    wait_ms: int = 0
    slice: int = 0


class Outcome(StrEnum):
    """How a call ended, as far as the model's health goes: a refused request says that the model is well."""

    ANSWERED = "answered"
    FAILED = "failed"
    UNKNOWN = "unknown"


class ProviderStore(Protocol):
    """The part of a session store that workers share a model by."""

    async def admit_call(self, call: ModelCall, limits: ModelLimits) -> Admission:
        """Books the call, if it may be made now."""
        ...

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
        """Tells how an admitted call ended.

        `tokens` it took in truth, None: as estimated; `pause_ms` for which the model asked to be left alone.
        """
        ...


def sweep_part(limit: int, limits: ModelLimits, *, live: bool) -> int:
    """How much of a limit this kind of job may use: at least one, and 0 where there is no limit."""
    return limit if live or not limit else max(1, int(limit * limits.sweep_share))


def share_of(concurrency: int, tenants: int) -> int:
    """How many calls at a time a tenant has for itself, where so many tenants want some."""
    return max(1, concurrency // max(1, tenants))
