"""Requests for summaries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from turnfold.messages import Message
from turnfold.summaries.prompt import chat_prompt
from turnfold.summaries.summarizer import SummaryRequest
from turnfold.tokens import CharacterEstimatorTokenizer


def request_for(messages: Sequence[dict[str, Any]] = (), **options: Any) -> SummaryRequest:
    """A request for these messages; tokens by estimate."""
    count = CharacterEstimatorTokenizer().count_tokens
    given = [Message(message) for message in messages]
    size = sum(count(message.text) for message in given) + sum(map(count, options.get("earlier", ())))
    defaults = {"messages": given, "source_tokens": size, "max_tokens": max(1, size // 10), "count_tokens": count}
    fields: dict[str, Any] = {**defaults, **options}
    return SummaryRequest(**fields)


def prompt_tokens(request: SummaryRequest) -> int:
    """What a call for the request reads."""
    return sum(len(message["content"]) for message in chat_prompt(request)) // 4


def words(count: int) -> str:
    """So many different words of four letters, a token each with the space behind it."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    return "".join(f"w{letters[n % 26]}{letters[n // 26 % 26]}{letters[n // 676 % 26]} " for n in range(count))
