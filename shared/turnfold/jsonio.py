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

_LONG_INTEGER = re.compile(rb"\d{19}")


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
    if _LONG_INTEGER.search(data):
        return _loads_exactly(data)
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return _loads_exactly(data)  # lone surrogates; or a second, final no


def is_plain(value: Any) -> bool:
    """Whether orjson alone writes and reads the value unchanged."""
    try:
        return not _LONG_INTEGER.search(orjson.dumps(value))
    except TypeError:
        return False


def is_object(value: Any) -> TypeGuard[Mapping[str, Any]]:
    """Whether the value is a JSON object."""
    return isinstance(value, (dict, Mapping))  # dict first: it is one nearly always, and an abstract class asks long


def is_array(value: Any) -> TypeGuard[list[Any]]:
    """Whether the value is a JSON array."""
    return isinstance(value, list)


def _loads_exactly(data: bytes) -> Any:
    try:
        return json.loads(data, parse_constant=_no_number, parse_float=_finite)
    except RecursionError:
        raise NestedTooDeeply("nested too deeply") from None


def _no_number(name: str) -> NoReturn:
    """The standard library takes NaN and Infinity; JSON does not know them, and they would be written as null."""
    raise ValueError(f"{name} is no JSON number")


def _finite(text: str) -> float:
    if math.isinf(value := float(text)):
        raise ValueError(f"{text} is too large for a number")
    return value
