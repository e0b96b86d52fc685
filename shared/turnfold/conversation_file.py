"""Conversations in files: a JSON array of messages, an object with `messages`, or JSON lines of either."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from turnfold import jsonio
from turnfold.errors import BadInput
from turnfold.jsonio import is_object
from turnfold.messages import Message, checked_messages


def read_conversation(file: str | None, pick: int = 0) -> list[Message]:
    """The messages of a file, or of standard input where `file` is None or `-`.

    Of JSON lines with a conversation each, `pick` says which one, counted from 0.

    Raises:
        BadInput: naming the field that is wrong.
    """
    return checked_messages(_picked(parse_conversations(read_text(file)), pick))


def read_text(file: str | None) -> bytes:
    """The bytes of a file, or of standard input where `file` is None or `-`."""
    try:
        return sys.stdin.buffer.read() if file in (None, "-") else Path(str(file)).read_bytes()
    except OSError as error:
        raise BadInput("FILE", f"can't read {file}: {error.strerror}") from None


def parse_conversations(text: bytes) -> list[Any]:
    """Each conversation's messages, not yet checked."""
    try:
        value = jsonio.loads(text)
    except ValueError as error:
        lines = {number: line for number, line in enumerate(text.split(b"\n"), 1) if line.strip()}
        if len(lines) < 2:
            raise BadInput("input", f"is not JSON: {error}") from None
        return _of_lines(lines)
    if is_object(value) and "role" in value:
        return [[value]]
    return [_messages_of(value, "input")]


def _of_lines(lines: dict[int, bytes]) -> list[Any]:
    """From lines by their numbers in the file."""
    values: dict[int, Any] = {}
    for number, line in lines.items():
        try:
            values[number] = jsonio.loads(line)
        except ValueError as error:
            raise BadInput(f"line {number}", f"is not JSON: {error}") from None
    if any(is_object(value) and "messages" in value for value in values.values()):
        return [_messages_of(value, f"line {number}") for number, value in values.items()]
    return [list(values.values())]


def _messages_of(value: Any, where: str) -> Any:
    if is_object(value):
        if "messages" not in value:
            raise BadInput(where, 'must be an array of messages, or an object with "messages"')
        return value["messages"]
    return value


def _picked(conversations: list[Any], pick: int) -> Any:
    if not 0 <= pick < len(conversations):
        raise BadInput("--pick", f"there are {len(conversations)} conversations, counted from 0; {pick} is not one")
    return conversations[pick]
