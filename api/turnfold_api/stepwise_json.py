"""JSON read in steps, so that whoever waits for the interpreter gets it between two of them.

A parser in C holds the interpreter until it is through: of a body of 30 MB, for longer than other requests should wait,
in whichever thread it runs. Here the outer levels are walked in Python, and only what stands in them is left to C.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from turnfold import jsonio

# The body, its `messages`, and each message: what stands in a field of a message is read in one step.
WALKED_LEVELS = 3
# So many members of an array are walked; more messages are refused in any case, and numbers are quick in C.
WALKED_MEMBERS = 20_000
_SPACE = re.compile(r"[ \t\n\r]*")
_scan: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder(
    parse_constant=jsonio.no_number, parse_float=jsonio.finite
).raw_decode


class _NotWalked(Exception):
    """The text is no JSON, or not such as is walked."""


def loads_in_steps(data: bytes) -> Any:
    """What `jsonio.loads` gives, or raises, for the same text."""
    try:
        text = data.decode("utf-8", "surrogatepass")
        value, end = _value(text, _past_space(text, 0), WALKED_LEVELS)
        if _past_space(text, end) == len(text):
            return value
    except (_NotWalked, IndexError, ValueError, RecursionError):
        pass
    return jsonio.loads(data)  # it says what is wrong


def _value(text: str, at: int, levels: int) -> tuple[Any, int]:
    """The value that begins here, and where it ends."""
    if levels and text[at] == "{":
        return _object(text, at + 1, levels - 1)
    if levels and text[at] == "[":
        return _array(text, at + 1, levels - 1)
    return _scan(text, at)


def _object(text: str, at: int, levels: int) -> tuple[dict[str, Any], int]:
    found: dict[str, Any] = {}
    at = _past_space(text, at)
    if text[at] == "}":
        return found, at + 1
    while True:
        if text[at] != '"':
            raise _NotWalked
        name, at = _scan(text, at)
        at = _past_space(text, at)
        if text[at] != ":":
            raise _NotWalked
        found[name], at = _value(text, _past_space(text, at + 1), levels)
        at, is_last = _behind(text, at, "}")
        if is_last:
            return found, at


def _array(text: str, at: int, levels: int) -> tuple[list[Any], int]:
    found: list[Any] = []
    at = _past_space(text, at)
    if text[at] == "]":
        return found, at + 1
    while len(found) < WALKED_MEMBERS:
        value, at = _value(text, at, levels)
        found.append(value)
        at, is_last = _behind(text, at, "]")
        if is_last:
            return found, at
    raise _NotWalked


def _behind(text: str, at: int, closing: str) -> tuple[int, bool]:
    """Where it goes on behind a member, and whether that was the last."""
    at = _past_space(text, at)
    if text[at] == closing:
        return at + 1, True
    if text[at] != ",":
        raise _NotWalked
    return _past_space(text, at + 1), False


def _past_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
