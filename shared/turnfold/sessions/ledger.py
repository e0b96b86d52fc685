"""A tenant's ledger: what its summaries cost, and what they saved in the contexts that were served."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What one reply of the summary model cost: tokens that it read and wrote, and their price."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0


NOTHING_SPENT = Spent()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """
    Attributes:
        summaries: that were committed.
        prompt_tokens, completion_tokens, cost: of all replies that passed the gate, committed or not.
        contexts: that were served.
        folded_tokens: that were not sent in them, since summaries stood for them.
        hidden_tokens: that were not sent in them, since inline steps hid them.
    """

    summaries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    contexts: int = 0
    folded_tokens: int = 0
    hidden_tokens: int = 0

    def plus(self, **more: float) -> Ledger:
        """The ledger with these added."""
        told = {field.name: getattr(self, field.name) for field in fields(self)}
        return Ledger(**{name: value + more.get(name, 0) for name, value in told.items()})


class LedgerStore(Protocol):
    """The part of a session store that keeps the books. What is booked is booked by scripts that run anyway."""

    async def ledger(self, tenant: str) -> Ledger: ...


def savings_of(state: Mapping[str, Any]) -> dict[str, int]:
    """What is not sent in a context of the session with these counts, by what keeps it back."""
    if not state:
        return {"folded_tokens": 0, "hidden_tokens": 0}
    everything, live, included = (int(state[name]["tokens"]) for name in ("all", "live", "included"))
    return {"folded_tokens": max(0, everything - live), "hidden_tokens": max(0, live - included)}
