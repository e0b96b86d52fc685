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


def read_value(file: str | None, pick: int = 0) -> Any:
    """A conversation as it stands in a file, with what stands beside its messages; not yet checked.

    Raises:
        BadInput: naming what is wrong.
    """
    return _picked([value for _, value in _values(read_text(file))], pick)


def read_text(file: str | None) -> bytes:
    """The bytes of a file, or of standard input where `file` is None or `-`."""
    try:
        return sys.stdin.buffer.read() if file in (None, "-") else Path(str(file)).read_bytes()
    except OSError as error:
        raise BadInput("FILE", f"can't read {file}: {error.strerror}") from None


def parse_conversations(text: bytes) -> list[Any]:
    """Each conversation's messages, not yet checked."""
    return [_messages_of(value, where) for where, value in _values(text)]


def _values(text: bytes) -> list[tuple[str, Any]]:
    """Each conversation, an array or an object that holds one, and where it stands."""
    try:
        value = jsonio.loads(text)
    except ValueError as error:
        lines = {number: line for number, line in enumerate(text.split(b"\n"), 1) if line.strip()}
        if len(lines) < 2:
            raise BadInput("input", f"is not JSON: {error}") from None
        return _of_lines(lines)
    return [("input", [value] if is_object(value) and "role" in value else value)]


def _of_lines(lines: dict[int, bytes]) -> list[tuple[str, Any]]:
    """From lines by their numbers in the file."""
    values: dict[int, Any] = {}
    for number, line in lines.items():
        try:
            values[number] = jsonio.loads(line)
        except ValueError as error:
            raise BadInput(f"line {number}", f"is not JSON: {error}") from None
    if any(_holds_messages(value) for value in values.values()):
        return [(f"line {number}", value) for number, value in values.items()]
    return [("input", list(values.values()))]


def _holds_messages(value: Any) -> bool:
    """Whether the value is a conversation rather than one of its messages or items; some items have an `input` too."""
    return is_object(value) and ("messages" in value or ("input" in value and not {"type", "role"} & value.keys()))


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
