"""Messages as clients send them, and an index's state in a form that can be compared."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from turnfold.compaction.run import CompactionRun
from turnfold.compaction.strategy import CompactionStrategy
from turnfold.content import is_reasoning_only
from turnfold.index import MessageIndex
from turnfold.messages import Message
from turnfold.summaries.summarizer import SummaryReply, SummaryRequest

Talk = list[dict[str, Any]]


def system(text: str = "Be brief.") -> dict[str, Any]:
    return {"role": "system", "content": text}


def user(text: str = "hello") -> dict[str, Any]:
    return {"role": "user", "content": text}


def assistant(text: str = "hello to you", **fields: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": text, **fields}


def reasoning(text: str = "hm") -> dict[str, Any]:
    return {"role": "assistant", "content": None, "reasoning_content": text}


def calling(*ids: str, name: str = "look", arguments: str = "{}") -> dict[str, Any]:
    calls = [{"id": i, "type": "function", "function": {"name": name, "arguments": arguments}} for i in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def result(call_id: str, text: str = "found") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def legacy_call(name: str = "old") -> dict[str, Any]:
    return {"role": "assistant", "content": None, "function_call": {"name": name, "arguments": "{}"}}


def legacy_result(text: str = "found", name: str = "old") -> dict[str, Any]:
    return {"role": "function", "name": name, "content": text}


def turns(count: int, words: int = 1) -> Talk:
    """So many turns of a user and an assistant message; a word is four characters, a token."""
    return [m for n in range(1, count + 1) for m in (user(f"u{n:<3}" * words), assistant(f"a{n:<3}" * words))]


def tool_turn(call_id: str, result_text: str = "found", name: str = "look") -> Talk:
    return [user(f"use {call_id}"), calling(call_id, name=name), result(call_id, result_text)]


def members(index: MessageIndex) -> list[list[int]]:
    return [group.positions for group in index.groups if group.is_log]


def kinds(index: MessageIndex) -> list[str]:
    return [str(group.kind) for group in index.groups]


def shown(index: MessageIndex) -> list[int]:
    """Positions of the log's messages that the model gets."""
    return [position for group in index.included_groups for position in group.positions]


def reasons(index: MessageIndex) -> dict[int, str | None]:
    return {group.place: group.reason for group in index.groups if not group.included}


def texts(messages: Iterable[dict[str, Any]]) -> list[str]:
    return [Message(message).text for message in messages]


def compacted(
    messages: Talk, strategy: CompactionStrategy, *, run: CompactionRun | None = None, **options: Any
) -> tuple[MessageIndex, bool]:
    """An index of the messages after the strategy has run on it, and what the strategy returned."""
    index = MessageIndex(messages, **options)
    return index, compact_again(index, strategy, run=run)


def compact_again(index: MessageIndex, strategy: CompactionStrategy, *, run: CompactionRun | None = None) -> bool:
    return asyncio.run(strategy.compact(index, run))


def snapshot(index: MessageIndex) -> list[dict[str, Any]]:
    return [group.report() for group in index.groups]


def refused_by_providers(messages: Iterable[dict[str, Any]]) -> str | None:
    """Why a provider would refuse the messages; calls may wait at the very end."""
    waiting: list[str] = []
    for number, message in enumerate(messages):
        role = message["role"]
        if role in ("tool", "function"):
            answered = message.get("tool_call_id", "legacy")
            if answered not in waiting:
                return f"message {number} is a result without its call"
            waiting.remove(answered)
            continue
        if waiting and not is_reasoning_only(message):
            return f"message {number} stands where results of {waiting} are awaited"
        waiting += [call["id"] for call in message.get("tool_calls") or ()]
        waiting += ["legacy"] if message.get("function_call") else []
    return None


class ScriptedSummarizer:
    """Answers as told, the last answer for ever, and remembers what it was asked."""

    name = "scripted"

    def __init__(self, *replies: str | Exception | SummaryReply, during: Callable[[], None] = lambda: None) -> None:
        self.replies = list(replies) or ["The user said hello."]
        self.asked: list[SummaryRequest] = []
        self._during = during

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        self._during()
        reply = self.replies[min(len(self.asked), len(self.replies) - 1)]
        self.asked.append(request)
        if isinstance(reply, Exception):
            raise reply
        return reply if isinstance(reply, SummaryReply) else SummaryReply(text=reply, model="scripted-1")
