"""How long each strategy without a model takes at 1,001 and 20,001 messages, and whether that grows linearly.

Beside it, what peers take for the same chat, as messages of their own kind; converting it is not counted.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine_bench import peer_runs
from engine_bench.chat import MESSAGES_A_TURN, synthetic_chat
from engine_bench.strategies import STRATEGIES
from rich.console import Console
from rich.table import Table

from turnfold import CompactionStrategy, MessageIndex

OUTPUT = Path("build/bench-engine.json")
CHAT = Path("build/bench-chat.json")
BARS = {"cold_ms": 3.0, "warm_ms": 1.0, "growth": 24.0}
SMALL, LARGE = 1_001, 20_001


def median_ms(work: Callable[[], object], times: int) -> float:
    taken: list[float] = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        taken.append(1000 * (time.perf_counter() - started))
    return statistics.median(taken)


def compact(index: MessageIndex, strategy: CompactionStrategy, loop: asyncio.AbstractEventLoop) -> object:
    loop.run_until_complete(strategy.compact(index))
    return index.projection()


def cold_ms(chat: list[dict[str, Any]], strategy: CompactionStrategy, loop: asyncio.AbstractEventLoop) -> float:
    return median_ms(lambda: compact(MessageIndex(chat), strategy, loop), 60 if len(chat) == SMALL else 7)


def measure(name: str, chats: dict[int, list[dict[str, Any]]], loop: asyncio.AbstractEventLoop) -> dict[str, Any]:
    """One row: cold is index, strategy and projection; warm is the strategy again, and projection."""
    strategy = STRATEGIES[name]
    cold = {size: cold_ms(chat, strategy, loop) for size, chat in chats.items()}
    grown = MessageIndex(chats[SMALL])
    compact(grown, strategy, loop)
    warm = median_ms(lambda: compact(grown, strategy, loop), 60)
    later = chats[LARGE][SMALL:]
    turns = iter([later[start : start + MESSAGES_A_TURN] for start in range(0, 20 * MESSAGES_A_TURN, MESSAGES_A_TURN)])
    append = median_ms(lambda: (grown.append(next(turns)), compact(grown, strategy, loop)), 20)
    growth = cold[LARGE] / cold[SMALL]
    return {"strategy": name, "cold_ms": cold[SMALL], "warm_ms": warm} | {
        "append_ms": append,
        "cold_20001_ms": cold[LARGE],
        "growth": growth,
    }


def missed(rows: list[dict[str, Any]]) -> list[str]:
    return [
        f"{row['strategy']}: {bar} {row[bar]:.2f} > {most:g}"
        for row in rows
        for bar, most in BARS.items()
        if row[bar] > most
    ]


def own_table(rows: list[dict[str, Any]]) -> Table:
    table = Table("strategy", "cold ms", "warm ms", "five more ms", "cold ms at 20,001", "growth")
    for row in rows:
        table.add_row(row["strategy"], *(f"{row[key]:.2f}" for key in list(row)[1:]))
    return table


def peer_rows(chat: list[dict[str, Any]]) -> list[dict[str, Any]]:
    CHAT.parent.mkdir(exist_ok=True)
    CHAT.write_text(json.dumps(chat), encoding="utf-8")
    return [row for name in peer_runs.PEERS for row in peer_runs.run(name, CHAT.resolve())]


def peer_table(peers: list[dict[str, Any]], rows: list[dict[str, Any]]) -> Table:
    """Each with its ratio to our slowest strategy, cold."""
    slowest = max(row["cold_ms"] for row in rows)
    table = Table("peer", f"at {SMALL:,} messages", "ms", "times our slowest, cold")
    for row in peers:
        shown = (f"{row['ms']:.2f}", f"{row['ms'] / slowest:.2f}") if "ms" in row else (row["error"], "")
        table.add_row(row["peer"], row.get("what", ""), *shown)
    return table


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-bars", action="store_true", help="report only: succeed even where a bar is missed")
    parser.add_argument("--no-peers", action="store_true", help="without the peers, which install themselves once")
    options = parser.parse_args()
    chats = {size: synthetic_chat(size) for size in (SMALL, LARGE)}
    loop = asyncio.new_event_loop()
    rows = [measure(name, chats, loop) for name in STRATEGIES]
    loop.close()
    console = Console()
    console.print(own_table(rows))
    peers = [] if options.no_peers else peer_rows(chats[SMALL])
    if peers:
        console.print(peer_table(peers, rows))
    failures = missed(rows)
    for failure in failures:
        console.print(f"missed: {failure}", style="red")
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(
        json.dumps({"rows": rows, "peers": peers, "bars": BARS, "missed": failures}, indent=1) + "\n", encoding="utf-8"
    )
    return 1 if failures and not options.no_bars else 0


if __name__ == "__main__":
    raise SystemExit(main())
