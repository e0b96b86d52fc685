"""The original of a message that was read from another format, kept beside it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from turnfold import jsonio
from turnfold.messages import Message

_KEY = "source"


@dataclass(frozen=True, slots=True)
class Source:
    """What a message was read from.

    Attributes:
        format: name of the format.
        positions: places in the input, counted from 0, in order; empty for what stood beside the messages.
        parts: the items or blocks as they came.
        shell: the fields of the object that the parts stood in, where a format has one.
    """

    format: str
    positions: tuple[int, ...]
    parts: tuple[Any, ...]
    shell: Mapping[str, Any] = field(default_factory=dict[str, Any])


def remember(message: Message, source: Source) -> Message:
    """The message, with its original beside it."""
    message.metadata[_KEY] = (source, _digest(message))
    return message


def source_of(message: Mapping[str, Any], format_name: str) -> Source | None:
    """The original, None where there is none of that format, or the message was changed since it was read."""
    kept = message.metadata.get(_KEY) if isinstance(message, Message) else None
    if kept is None:
        return None
    source, digest = kept
    return source if source.format == format_name and digest == _digest(message) else None


def is_made(message: Mapping[str, Any]) -> bool:
    """Whether the message is a summary, or the line of a collapsed group."""
    return isinstance(message, Message) and "summary_of" in message.metadata


def report_in_input_terms(groups: Sequence[Mapping[str, Any]], given: Sequence[Message]) -> list[dict[str, Any]]:
    """Reported groups with the positions of the input's items in place of those of the messages read from them."""
    places = [_positions(message, number) for number, message in enumerate(given)]
    shown: list[dict[str, Any]] = []
    for group in groups:
        numbers: list[int] = group["messages"]
        shown.append({**group, "messages": list(dict.fromkeys(p for number in numbers for p in places[number]))})
    return shown


def _positions(message: Message, number: int) -> tuple[int, ...]:
    kept = message.metadata.get(_KEY)
    if kept is None:
        return (number,)
    source: Source = kept[0]
    return source.positions


def _digest(message: Mapping[str, Any]) -> bytes:
    return hashlib.blake2b(jsonio.dumps(message), digest_size=16).digest()
