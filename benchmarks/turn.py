"""What a turn costs a chat backend: `append` and `context` on a real store, beside two bare round trips.

The bare round trips carry the bytes that the turn carries, and decode what they get: what any history in Redis costs.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import orjson
from engine_bench.chat import MESSAGES_A_TURN, synthetic_chat
from redis.asyncio import Redis
from rich.console import Console
from rich.table import Table

from turnfold.embedded import EmbeddedServer
from turnfold.jobs.memory_queue import MemoryQueue
from turnfold.policy import Policy
from turnfold.service import TurnfoldService
from turnfold.settings import Settings
from turnfold.wiring import build_store

OUTPUT = Path("build/bench-turn.json")
SIZES = (1_001, 100_001)
BARS = {"times bare": 2.0, "times that at 1,001": 1.2}
TURNS = 300
SLICE = 1_000
SESSION = "bench"
# A window that is kept by inline steps alone: what is measured is the request's path, not a summary.
POLICY = {"strategy": "sliding_window", "keep_last_turns": 20}


async def main_async(console: Console) -> dict[str, Any]:
    with EmbeddedServer() as server:
        rows = [await measured(server.redis_url, size) for size in SIZES]
    rows[1]["times that at 1,001"] = rows[1]["turn_ms"] / rows[0]["turn_ms"]
    table = Table("messages", "append ms", "context ms", "turn ms", "two bare trips ms", "times bare", "times 1,001")
    for row in rows:
        numbers = [row[name] for name in ("append_ms", "context_ms", "turn_ms", "bare_ms", "times bare")]
        last = f"{row['times that at 1,001']:.2f}" if "times that at 1,001" in row else ""
        table.add_row(f"{row['messages']:,}", *(f"{number:.2f}" for number in numbers), last)
    console.print(table)
    return {"rows": rows, "missed": missed(rows)}


async def measured(redis_url: str, size: int) -> dict[str, Any]:
    """Medians of turns on a session that has so many messages already."""
    service = TurnfoldService(
        store=build_store(Settings(redis_url=redis_url)),
        queue=MemoryQueue(),
        policy=Policy.parse(POLICY),
        ttl_seconds=3600,
    )
    session = f"{SESSION}-{size}"
    chat = synthetic_chat(size + TURNS * MESSAGES_A_TURN)
    for start in range(0, size, SLICE):
        await service.append(session, chat[start : min(size, start + SLICE)])
        await service.context(session)
    turns = [chat[at : at + MESSAGES_A_TURN] for at in range(size, len(chat), MESSAGES_A_TURN)]
    async with Redis.from_url(redis_url, protocol=2) as client:
        bare = await Bare.like(service, session, client)
        append: list[float] = []
        context: list[float] = []
        beside: list[float] = []
        for turn in turns:
            append.append(await timed(lambda t=turn: service.append(session, t)))
            context.append(await timed(lambda: service.context(session)))
            beside.append(await timed(lambda t=turn: bare.turn(t)))
    await service.close()
    whole = [one + other for one, other in zip(append, context, strict=True)]
    medians = {"append_ms": append, "context_ms": context, "turn_ms": whole, "bare_ms": beside}
    row: dict[str, Any] = {"messages": size} | {name: statistics.median(taken) for name, taken in medians.items()}
    return row | {"times bare": row["turn_ms"] / row["bare_ms"]}


class Bare:
    """A history that is a list of JSON lines, with the lines that a context of the session reads."""

    def __init__(self, client: Any, lines: list[bytes]) -> None:
        self._client, self._count = client, len(lines)
        self._lines = lines

    @classmethod
    async def like(cls, service: TurnfoldService, session: str, client: Any) -> Bare:
        turn = await service.context(session)
        bare = cls(client, [orjson.dumps(message) for message in turn.messages])
        await client.delete("bare")
        await client.rpush("bare", *bare._lines)
        return bare

    async def turn(self, messages: list[dict[str, Any]]) -> None:
        await self._client.rpush("bare", *(orjson.dumps(message) for message in messages))
        for line in await self._client.lrange("bare", -self._count, -1):
            orjson.loads(line)


async def timed(work: Callable[[], Awaitable[Any]]) -> float:
    started = time.perf_counter()
    await work()
    return 1000 * (time.perf_counter() - started)


def missed(rows: list[dict[str, Any]]) -> list[str]:
    return [
        f"{row['messages']:,} messages: {bar} {row[bar]:.2f} > {most:g}"
        for row in rows
        for bar, most in BARS.items()
        if row.get(bar, 0) > most
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-bars", action="store_true", help="report only: succeed even where a bar is missed")
    options = parser.parse_args()
    console = Console()
    report = asyncio.run(main_async(console))
    for failure in report["missed"]:
        console.print(f"missed: {failure}", style="red")
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 1 if report["missed"] and not options.no_bars else 0


if __name__ == "__main__":
    raise SystemExit(main())
