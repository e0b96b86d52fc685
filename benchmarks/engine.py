"""How long each strategy without a model takes at 1,001 and 20,001 messages, and whether that grows linearly."""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine_bench.chat import MESSAGES_A_TURN, synthetic_chat
from engine_bench.strategies import STRATEGIES
from rich.console import Console
from rich.table import Table

from turnfold import CompactionStrategy, MessageIndex

OUTPUT = Path("build/bench-engine.json")
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-bars", action="store_true", help="report only: succeed even where a bar is missed")
    options = parser.parse_args()
    chats = {size: synthetic_chat(size) for size in (SMALL, LARGE)}
    loop = asyncio.new_event_loop()
    rows = [measure(name, chats, loop) for name in STRATEGIES]
    loop.close()
    table = Table("strategy", "cold ms", "warm ms", "five more ms", "cold ms at 20,001", "growth")
    for row in rows:
        table.add_row(row["strategy"], *(f"{row[key]:.2f}" for key in list(row)[1:]))
    console = Console()
    console.print(table)
    failures = missed(rows)
    for failure in failures:
        console.print(f"missed: {failure}", style="red")
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(json.dumps({"rows": rows, "bars": BARS, "missed": failures}, indent=1) + "\n", encoding="utf-8")
    return 1 if failures and not options.no_bars else 0


if __name__ == "__main__":
    raise SystemExit(main())
