"""The conversations: what is folded, what stays, and the values in them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from turnfold.content import text_fields, tool_calls
from turnfold.messages import Message
from turnfold.tokens import TiktokenTokenizer

COUNT = TiktokenTokenizer("o200k_base").count_tokens
SHORTEST_VALUE = 2


def split(messages: Sequence[dict[str, Any]], keep: int) -> tuple[list[Message], list[Message]]:
    """What is folded, and the newest messages that stay; instructions are never folded."""
    said = [Message(message) for message in messages if message["role"] not in ("system", "developer")]
    end = max(0, len(said) - keep)
    return said[:end], said[end:]


def source_text(messages: Sequence[Message]) -> str:
    """All text of the messages; also with whitespace collapsed, and the strings of JSON without escapes."""
    fields = [text for message in messages for text in text_fields(message)]
    collapsed = [" ".join(text.split()) for text in fields]
    return "\n".join([*fields, *collapsed, *(value for text in fields for value in json_strings(text))])


def json_strings(text: str) -> list[str]:
    """The values within a text that is JSON."""
    try:
        return [" ".join(value.split()) for value in leaves(json.loads(text))]
    except (ValueError, RecursionError):
        return []


def source_tokens(messages: Sequence[Message]) -> int:
    """What the messages cost."""
    return sum(COUNT(text) for message in messages for text in text_fields(message))


def argument_values(messages: Sequence[Message]) -> Iterator[str]:
    """The strings and numbers given to tools."""
    for message in messages:
        for call in tool_calls(message):
            try:
                arguments = json.loads(call.arguments)
            except ValueError:
                continue
            yield from (value for value in leaves(arguments) if len(value) >= SHORTEST_VALUE)


def leaves(value: Any) -> Iterator[str]:
    """The plain values within a JSON value, as text."""
    if isinstance(value, (dict, list)):
        items: list[Any] = [*value.values()] if isinstance(value, dict) else value
        for item in items:
            yield from leaves(item)
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
        yield str(value)


def occurs(value: str, text: str) -> bool:
    """Whether the value stands in the text, not as a part of a longer word."""
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text) is not None


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON lines."""
    with path.open(encoding="utf-8", errors="surrogatepass") as file:
        yield from (json.loads(line) for line in file if line.strip())
