"""Conversations written down shortly, and what a summarizer is asked for them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from turnfold.content import text_fields
from turnfold.messages import Message
from turnfold.summaries.pin import Pin
from turnfold.summaries.summarizer import SummaryRequest
from turnfold.tokens import TiktokenTokenizer

COUNT = TiktokenTokenizer("o200k_base").count_tokens


@dataclass(frozen=True)
class Case:
    """A conversation and a reply to the request for its summary."""

    name: str
    messages: tuple[Message, ...]
    earlier: tuple[str, ...]
    reply: str

    @property
    def request(self) -> SummaryRequest:
        return request_of(self.messages, earlier=self.earlier)


def request_of(
    messages: Sequence[Message], *, earlier: Sequence[str] = (), pins: Sequence[Pin] = (), **options: Any
) -> SummaryRequest:
    """A request for a summary of these messages, counted exactly."""
    size = sum(COUNT(text) for message in messages for text in text_fields(message)) + sum(map(COUNT, earlier))
    given: dict[str, Any] = {"source_tokens": size, "max_tokens": max(64, size // 10), **options}
    return SummaryRequest(messages=messages, earlier=earlier, count_tokens=COUNT, pins=pins, **given)


def talk(*lines: str) -> tuple[Message, ...]:
    """Messages from lines `user: …`, `assistant: …`, `call NAME ARGUMENTS`, and `result …` behind its call."""
    return tuple(Message(_message(line, number)) for number, line in enumerate(lines))


def cases(folder: Path) -> list[Case]:
    """The cases in the JSON files of a folder: `name`, `talk`, `summary` or `reply`, perhaps `earlier`."""
    found: list[Case] = []
    for path in sorted(folder.glob("*.json")):
        for entry in json.loads(path.read_text(encoding="utf-8")):
            reply = entry.get("summary", entry.get("reply"))
            name = f"{path.stem}: {entry['name']}"
            found.append(Case(name, talk(*entry["talk"]), tuple(entry.get("earlier", ())), reply))
    return found


def _message(line: str, number: int) -> dict[str, Any]:
    kind, _, rest = line.partition(" ")
    if kind == "call":
        name, _, arguments = rest.partition(" ")
        function = {"name": name, "arguments": arguments}
        return {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": f"c{number}", "type": "function", "function": function}],
        }
    if kind == "result":
        return {"role": "tool", "tool_call_id": f"c{number - 1}", "content": rest}
    role, _, text = line.partition(": ")
    return {"role": role, "content": text}
