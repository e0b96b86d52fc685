"""Clients in the place of a model, for tests of agents that need no server."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from turnfold import Message
from turnfold.index import MessageIndex

Replies = Sequence[str | Mapping[str, Any]] | Callable[[list[Mapping[str, Any]]], str | Mapping[str, Any]]


class Model:
    """Answers by a script, the last reply again and again, and keeps what it was sent.

    Attributes:
        sent: the messages of each call.
        options: the options of each call.
        failing: calls, counted from 1, that raise.
    """

    def __init__(self, replies: Replies = ("ok",), *, failing: Sequence[int] = ()) -> None:
        self.replies, self.failing = replies, frozenset(failing)
        self.sent: list[list[dict[str, Any]]] = []
        self.options: list[dict[str, Any]] = []

    async def get_response(self, messages: Sequence[Mapping[str, Any]], *, options: Any = None) -> Any:
        self.sent.append([dict(message) for message in messages])
        self.options.append(dict(options or {}))
        number = len(self.sent)
        if number in self.failing:
            raise ConnectionError(f"call {number} failed")
        if callable(self.replies):
            reply = self.replies(list(messages))
        else:
            reply = self.replies[min(number, len(self.replies)) - 1]
        return Message(role="assistant", content=reply) if isinstance(reply, str) else Message(reply)

    @property
    def last(self) -> list[str]:
        """Texts of the messages of the last call."""
        return texts(self.sent[-1])


class Summarizer:
    """Writes summaries, each of another text, and keeps what it was asked to fold."""

    def __init__(self, text: str = "Summary {}: they spoke of crates.") -> None:
        self.text, self.asked = text, list[str]()

    def times_folded(self, mark: str) -> int:
        """How many summaries were asked for a message with this mark in it."""
        return sum(mark in prompt for prompt in self.asked)

    async def get_response(self, messages: Sequence[Mapping[str, Any]], *, options: Any = None) -> Any:
        self.asked.append(str(messages[-1]["content"]))
        return Message(role="assistant", content=self.text.format(len(self.asked)))


def calls(*called: tuple[str, Mapping[str, Any]], number: int = 1) -> dict[str, Any]:
    """A reply that calls tools."""
    made = [
        {"id": f"call_{number}_{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
        for n, (name, given) in enumerate(called)
    ]
    return {"role": "assistant", "content": None, "tool_calls": made}


def texts(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    return [str(message.get("content")) for message in messages]


def roles(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    return [str(message["role"]) for message in messages]


def broken_pairs(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """Ids of calls without their results and of results without their calls, in what a model was sent."""
    asked = [str(c["id"]) for m in messages for c in m.get("tool_calls") or ()]
    answered = [str(m["tool_call_id"]) for m in messages if m["role"] == "tool"]
    return sorted(set(asked) ^ set(answered))


def tokens_of(messages: Sequence[Mapping[str, Any]]) -> int:
    return MessageIndex(messages).included.tokens
