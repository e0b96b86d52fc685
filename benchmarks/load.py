"""Load: how many turns a second workers keep up with, and whether summaries are there before the next turn.

A ramp finds the highest rate at which nearly all of them are; at four fifths of it the conversations are then led. The
model takes 0.5 to 3 s, a person twice as long. Sessions expire at the end, and what they leave behind is counted.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import sys
from collections.abc import AsyncGenerator, Iterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from load_bench.chatters import Seen, at_a_time, crowd
from load_bench.slow_model import SlowModel
from redis.asyncio import Redis
from rich.console import Console

from turnfold.embedded import EmbeddedServer
from turnfold.jobs.celery_queue import CeleryQueue
from turnfold.policy import Policy
from turnfold.processes import start_tied
from turnfold.service import TurnfoldService
from turnfold.settings import Settings
from turnfold.wiring import build_store

OUTPUT = Path("build/bench-load.json")
DEADLINE_SECONDS = 1.0
READY_SHARE = 0.99
CALM = 0.8
TTL_SECONDS = 20
CONCURRENCY = 64
POLICY: dict[str, Any] = {
    "strategy": "summarization",
    "trigger": {"tokens_exceed": 400},
    "target": {"tokens_below": 200},
    "minimum_preserved": 2,
    "min_source_tokens": 100,
}


async def main_async(options: argparse.Namespace, console: Console) -> dict[str, Any]:
    with ExitStack() as stack:
        store = stack.enter_context(EmbeddedServer())
        model = SlowModel(options.pace)
        async with model, workers(options.workers, store, model):
            service = TurnfoldService(
                store=build_store(Settings(redis_url=store.redis_url)),
                queue=CeleryQueue(store.broker_url),
                policy=Policy.parse(POLICY),
                ttl_seconds=ttl_of(options),
            )
            names = (f"load-{number}" for number in itertools.count())
            await warm_up(service, names, options)
            before = await footprint(store)
            sustained = await ramp(service, names, options, console)
            turns = options.turns // options.sessions
            calm = CALM * sustained
            seen = await crowd(service, names, rate=calm, turns=turns, sessions=options.sessions, pace=options.pace)
            left = await after_expiry(service, store, ttl_of(options))
            await service.close()
    return report(seen, sustained=sustained, before=before, left=left, calls=model.calls)


def ttl_of(options: argparse.Namespace) -> int:
    """How long a session lives: longer than anybody thinks."""
    return max(3, round(TTL_SECONDS * options.pace))


@asynccontextmanager
async def workers(count: int, store: EmbeddedServer, model: SlowModel) -> AsyncGenerator[None]:
    """So many worker processes."""
    env = {
        **os.environ,
        "TURNFOLD_REDIS_URL": store.redis_url,
        "TURNFOLD_POLICY": json.dumps(POLICY),
        "TURNFOLD_OPENAI_BASE_URL": model.base_url,
        "TURNFOLD_SUMMARY_MODEL": "slow",
        "NO_PROXY": "127.0.0.1",
    }
    command = [sys.executable, "-m", "turnfold", "worker", "--concurrency", str(CONCURRENCY)]
    OUTPUT.parent.mkdir(exist_ok=True)
    with OUTPUT.with_suffix(".log").open("wb") as log:
        started = [start_tied(command, env=env, stdout=log.fileno()) for _ in range(count)]
        try:
            yield
        finally:
            for process in started:
                process.terminate()
            for process in started:  # the model answers what they still wait for
                await asyncio.to_thread(process.wait, 60)


async def warm_up(service: TurnfoldService, names: Iterator[str], options: argparse.Namespace) -> None:
    """Until the workers make summaries."""
    while True:
        seen = await crowd(service, names, rate=4, turns=5, sessions=4, pace=options.pace)
        if seen.ready:
            return


async def ramp(service: TurnfoldService, names: Iterator[str], options: argparse.Namespace, console: Console) -> float:
    """The highest rate of turns a second, of those tried, that was kept up with; each is tried for some turns."""
    rate, sustained = float(options.first_rate), 0.0
    while rate <= options.most_rate:
        sessions = at_a_time(rate, options.pace)
        seen = await crowd(service, names, rate=rate, turns=options.ramp_turns, sessions=sessions, pace=options.pace)
        console.print(f"{rate:6.1f} turns/s: ready {seen.ready_share:.2%}, slowest request {seen.request_at(1):.3f} s")
        if not keeps_up(seen):
            break
        sustained, rate = rate, rate * 1.5
    return sustained or options.first_rate


def keeps_up(seen: Seen) -> bool:
    return seen.ready_share >= READY_SHARE and seen.request_at(1) <= DEADLINE_SECONDS


async def footprint(store: EmbeddedServer) -> dict[str, int]:
    """Keys of sessions, entries of their indexes, and memory."""
    async with Redis.from_url(store.redis_url, protocol=2) as client:
        keys = [name async for name in client.scan_iter(count=1000)]
        indexes = [name for name in keys if name.rpartition(b":")[2] in (b"expiring", b"due", b"waiting")]
        entries = sum([await client.zcard(name) for name in indexes])
        memory = int((await client.info("memory"))["used_memory"])
    return {"session_keys": sum(b":s:" in name for name in keys), "index_entries": entries, "memory_bytes": memory}


async def after_expiry(service: TurnfoldService, store: EmbeddedServer, ttl_seconds: int) -> dict[str, int]:
    """What is left once the last session has expired, and a sweep has been there."""
    await asyncio.sleep(ttl_seconds + 1)
    while await service.store.drop_expired(1000):
        pass
    return await footprint(store)


def report(seen: Seen, *, sustained: float, before: dict[str, int], left: dict[str, int], calls: int) -> dict[str, Any]:
    late = sum(seconds > DEADLINE_SECONDS for seconds in seen.request_seconds)
    told = {
        "sustained_turns_a_second": sustained,
        "turns": seen.turns,
        "summaries_due": seen.due,
        "ready_before_next_turn": seen.ready_share,
        "requests_over_deadline": late,
        "request_p50_ms": 1000 * seen.request_at(0.5),
        "request_p99_ms": 1000 * seen.request_at(0.99),
        "slowest_request_ms": 1000 * seen.request_at(1),
        "model_calls": calls,
        "before": before,
        "after_expiry": left,
    }
    return told | {"missed": missed(told)}


def missed(told: dict[str, Any]) -> list[str]:
    found = []
    if told["requests_over_deadline"]:
        found.append(f"{told['requests_over_deadline']} requests took longer than {DEADLINE_SECONDS:g} s")
    if told["ready_before_next_turn"] < READY_SHARE:
        found.append(f"ready before the next turn: {told['ready_before_next_turn']:.2%} < {READY_SHARE:.0%}")
    left = told["after_expiry"]
    if left["session_keys"] or left["index_entries"]:
        found.append(f"after expiry {left['session_keys']} keys and {left['index_entries']} entries are left")
    return found


def options_of(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=1000)
    parser.add_argument("--turns", type=int, default=20_000, help="of all sessions together")
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--first-rate", type=float, default=10.0, help="turns a second at which the ramp begins")
    parser.add_argument("--most-rate", type=float, default=200.0, help="… and where it ends at the latest")
    parser.add_argument("--ramp-turns", type=int, default=10, help="turns of a conversation, at each rate")
    parser.add_argument("--pace", type=float, default=1.0, help="by what all latencies and thinking are multiplied")
    parser.add_argument("--no-bars", action="store_true", help="report only: succeed even where a bar is missed")
    return parser.parse_args(arguments)


def main() -> int:
    options, console = options_of(), Console()
    told = asyncio.run(main_async(options, console))
    console.print_json(data=told)
    OUTPUT.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    return 1 if told["missed"] and not options.no_bars else 0


if __name__ == "__main__":
    raise SystemExit(main())
