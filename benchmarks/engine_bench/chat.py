"""The synthetic chat: an agent with two parallel calls a turn, about 2.3 KB a turn, the same at every run."""

from __future__ import annotations

import json
from typing import Any

MESSAGES_A_TURN = 5
_TEXT = (
    "order parcel refund window courier address balance invoice customer weekend delivery partner warehouse ticket "
    "confirm schedule return label exchange discount account payment shipment tracking number status pending"
)
_WORDS = _TEXT.split(" ")


def synthetic_chat(messages: int) -> list[dict[str, Any]]:
    """A system message, then whole turns: `messages` in all (1,001 are 200 turns, about 455 KB as JSON)."""
    chat: list[dict[str, Any]] = [{"role": "system", "content": "You are a helpful support agent. " + _prose(0, 60)}]
    for turn in range(1, (messages - 1) // MESSAGES_A_TURN + 1):
        chat += _turn(turn)
    return chat


def _turn(turn: int) -> list[dict[str, Any]]:
    calls = [_call(turn, "get_order", "a"), _call(turn, "get_shipment", "b")]
    return [
        {"role": "user", "content": f"Question {turn}: {_prose(turn, 24)}"},
        {"role": "assistant", "content": "", "tool_calls": calls},
        {"role": "tool", "tool_call_id": calls[0]["id"], "content": _result(turn, 2)},
        {"role": "tool", "tool_call_id": calls[1]["id"], "content": _result(turn + 7, 3)},
        {"role": "assistant", "content": f"Answer {turn}: {_prose(turn + 3, 64)}"},
    ]


def _call(turn: int, name: str, mark: str) -> dict[str, Any]:
    arguments = json.dumps({"order_id": f"O-{10_000 + turn}", "region": "eu-west", "verbose": True})
    return {"id": f"call_{turn}_{mark}", "type": "function", "function": {"name": name, "arguments": arguments}}


def _result(seed: int, rows: int) -> str:
    items = [{"sku": f"SKU-{seed}-{row}", "quantity": row + 1, "note": _prose(seed + row, 14)} for row in range(rows)]
    return json.dumps({"status": "ok", "items": items})


def _prose(seed: int, words: int) -> str:
    return " ".join(_WORDS[(seed * 7 + 3 * word) % len(_WORDS)] for word in range(words))
