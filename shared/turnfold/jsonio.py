"""JSON that survives a round trip, fast.

orjson turns integers of more than 64 bits into floats and refuses lone surrogates; both occur in what models and tools
write. The standard library handles those.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any, NoReturn, TypeGuard

import orjson

LONG_DIGITS = 19
_LONG_INTEGER = re.compile(rb"\d{%d}" % LONG_DIGITS)
# The search holds the interpreter: 7 ms for a million bytes.
_SEARCHED_AT_A_TIME = 500_000


class NestedTooDeeply(ValueError):
    """The text is JSON perhaps, but nested deeper than can be read."""


def dumps(value: Any) -> bytes:
    """The value as compact JSON."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()


def loads(text: bytes | str) -> Any:
    """The value of a JSON text.

    Raises:
        ValueError: for text that is no JSON; NestedTooDeeply for what is nested deeper than can be read.
    """
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if _may_hold_long_integers(data):
        return _loads_exactly(data)
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return _loads_exactly(data)  # lone surrogates; or a second, final no


def is_utf8(text: str) -> bool:
    """Whether a text has no halves of characters, and can be written anywhere."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_plain(value: Any) -> bool:
    """Whether orjson alone writes and reads the value unchanged."""
    try:
        return not _may_hold_long_integers(orjson.dumps(value))
    except TypeError:
        return False


def is_longer_than(value: Any, chars: int) -> bool:
    """Whether a value has about so many characters or more, as JSON; looks no further than it must."""
    left, waiting = chars, [value]
    while waiting and left > 0:
        one = waiting.pop()
        left -= len(one) + 2 if isinstance(one, str) else 2
        if is_object(one):
            waiting += one.values()
            left -= sum(map(len, map(str, one)))
        elif is_array(one):
            waiting += one
    return left <= 0


def is_object(value: Any) -> TypeGuard[Mapping[str, Any]]:
    """Whether the value is a JSON object."""
    return isinstance(value, (dict, Mapping))  # dict first: it is one nearly always, and an abstract class asks long


def is_array(value: Any) -> TypeGuard[list[Any]]:
    """Whether the value is a JSON array."""
    return isinstance(value, list)


def _may_hold_long_integers(data: bytes) -> bool:
    """Whether so many digits stand in a row: an integer that orjson may not read exactly, or a text like one."""
    if len(data) <= _SEARCHED_AT_A_TIME:
        return _LONG_INTEGER.search(data) is not None
    starts = range(0, len(data), _SEARCHED_AT_A_TIME)
    return any(_LONG_INTEGER.search(data, start, start + _SEARCHED_AT_A_TIME + LONG_DIGITS) for start in starts)


def _loads_exactly(data: bytes) -> Any:
    try:
        return json.loads(data, parse_constant=no_number, parse_float=finite)
    except RecursionError:
        raise NestedTooDeeply("nested too deeply") from None


def no_number(name: str) -> NoReturn:
    """The standard library takes NaN and Infinity; JSON does not know them, and they would be written as null."""
    raise ValueError(f"{name} is no JSON number")


def finite(text: str) -> float:
    """A number as a parser reads it; 1e999 is none."""
    if math.isinf(value := float(text)):
        raise ValueError(f"{text} is too large for a number")
    return value
