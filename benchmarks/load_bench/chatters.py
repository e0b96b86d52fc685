"""People who chat: each appends a turn, takes the context, thinks, and comes back; what they saw is counted."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from load_bench.slow_model import FASTEST_SECONDS, SLOWEST_SECONDS, latency_seconds
from turnfold.service import TurnfoldService

# A person reads and types for twice as long as the model needs.
THINK_FACTOR = 2.0
MEAN_THINK_SECONDS = THINK_FACTOR * (FASTEST_SECONDS + SLOWEST_SECONDS) / 2
# About sixty tokens a message: a summary is due every few turns.
FILLER = "A parcel was handed in at the counter, weighed, labelled and sent on to the next depot on its way. " * 3


@dataclass(slots=True)
class Seen:
    """
    Attributes:
        request_seconds: of each append and each context.
        due: turns after which a summary was due.
        ready: how many of these had it before the next turn.
    """

    turns: int = 0
    due: int = 0
    ready: int = 0
    request_seconds: list[float] = field(default_factory=list[float])

    @property
    def ready_share(self) -> float:
        return self.ready / self.due if self.due else 1.0

    def request_at(self, share: float) -> float:
        """A quantile of the requests' seconds."""
        ordered = sorted(self.request_seconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


async def chat(service: TurnfoldService, session: str, turns: int, seen: Seen, *, pace: float) -> None:
    """One conversation from its first turn to its last."""
    think = pace * THINK_FACTOR * latency_seconds(session)
    for number in range(turns):
        job = await _turn(service, session, number, seen)
        seen.turns += 1
        await asyncio.sleep(think)
        if job is not None:
            seen.due += 1
            record = await service.store.read_job(job)
            seen.ready += record is not None and record.state == "succeeded"


async def _turn(service: TurnfoldService, session: str, number: int, seen: Seen) -> str | None:
    texts = ((role, f"Turn {number} of {session}: {FILLER}") for role in ("user", "assistant"))
    messages: list[Any] = [{"role": role, "content": text} for role, text in texts]
    began = time.perf_counter()
    appended = await service.append(session, messages)
    between = time.perf_counter()
    await service.context(session)
    seen.request_seconds += [between - began, time.perf_counter() - between]
    return str(appended.job["id"]) if appended.job else None


async def crowd(
    service: TurnfoldService, names: Iterator[str], *, rate: float, turns: int, sessions: int, pace: float
) -> Seen:
    """So many conversations of so many turns, as many at a time as make `rate` turns a second."""
    seen, most = Seen(), at_a_time(rate, pace)
    places = asyncio.Semaphore(most)

    async def one(name: str, delay: float) -> None:
        async with places:
            await asyncio.sleep(delay)
            await chat(service, name, turns, seen, pace=pace)

    # They don't all begin at once.
    spread = [pace * MEAN_THINK_SECONDS * n / most if n < most else 0.0 for n in range(sessions)]
    some = itertools.islice(names, sessions)
    await asyncio.gather(*(one(name, delay) for name, delay in zip(some, spread, strict=True)))
    return seen


def at_a_time(rate: float, pace: float) -> int:
    """How many conversations at a time make so many turns a second."""
    return max(1, round(rate * pace * MEAN_THINK_SECONDS))
