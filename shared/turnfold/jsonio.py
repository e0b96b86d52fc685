"""JSON that survives a round trip, fast.

orjson turns integers of more than 64 bits into floats and refuses lone surrogates; both occur in what models and tools
write. The standard library handles those.
"""

from __future__ import annotations

import json
import re
from typing import Any

import orjson

_LONG_INTEGER = re.compile(rb"\d{19}")


def dumps(value: Any) -> bytes:
    """The value as compact JSON."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()


def loads(text: bytes | str) -> Any:
    """The value of a JSON text.

    Raises:
        ValueError: for text that is no JSON.
    """
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if _LONG_INTEGER.search(data):
        return json.loads(data)
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return json.loads(data)  # lone surrogates; or a second, final no


def is_plain(value: Any) -> bool:
    """Whether orjson alone writes and reads the value unchanged."""
    try:
        return not _LONG_INTEGER.search(orjson.dumps(value))
    except TypeError:
        return False
