"""Random conversations: every shape of message, every way in which tools answer, or do not."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

WORDS = (
    "the",
    "crate",
    "left",
    "harbour",
    "on",
    "monday",
    "with",
    "seven",
    "pallets",
    "for",
    "oslo",
    "paid",
    "in",
    "advance",
)


def text(rng: random.Random, most: int = 60) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, most)))


def conversation(rng: random.Random, length: int) -> Iterator[dict[str, Any]]:
    """Messages one by one; calls are answered at once, late, twice, by unknown ids, or never."""
    open_calls: list[str] = []
    number = 0
    for _ in range(length):
        kind = rng.random()
        if kind < 0.03:
            yield {"role": rng.choice(("system", "developer")), "content": text(rng)}
        elif kind < 0.30:
            yield {"role": "user", "content": text(rng)}
        elif kind < 0.45:
            ids = [f"c{number + n}" if rng.random() < 0.9 else "same" for n in range(rng.randint(1, 3))]
            number += len(ids)
            open_calls += ids
            yield _calling(rng, ids)
        elif kind < 0.75 and open_calls:
            yield _result(rng, open_calls.pop(0 if rng.random() < 0.8 else -1))
        elif kind < 0.77:
            yield _result(rng, "nobody-asked")
        elif kind < 0.80:
            yield {"role": "assistant", "content": None, "function_call": {"name": "old", "arguments": "{}"}}
        elif kind < 0.83:
            yield {"role": "function", "name": "old", "content": text(rng)}
        elif kind < 0.88:
            yield {"role": "assistant", "content": None, "reasoning_content": text(rng, 10)}
        else:
            yield {"role": "assistant", "content": rng.choice((text(rng), ""))}


def _calling(rng: random.Random, ids: list[str]) -> dict[str, Any]:
    calls = [
        {"id": i, "type": "function", "function": {"name": "look", "arguments": f'{{"q": "{text(rng, 5)}"}}'}}
        for i in ids
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def _result(rng: random.Random, call: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call, "content": text(rng, 200)}
