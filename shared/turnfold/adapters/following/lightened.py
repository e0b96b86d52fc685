"""Messages as JSON, without the bytes of their images, sounds and files: the framework has those."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from typing import Any

from turnfold.jsonio import is_array, is_object

LONGEST = 1_024
# Enough of an image to see its size by.
HEAD = 128
# Fields of parts that hold bytes as text; text itself is never cut.
_BYTES = frozenset({"url", "image_url", "file_data", "data", "file_url", "base64"})


def lightened(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """The message; in the parts of its content a head and a digest stand for bytes, a text for what JSON has not."""
    content = message.get("content")
    return {**message, "content": [_light(part, "") for part in content]} if is_array(content) else message


def _light(value: Any, field: str) -> Any:
    if is_object(value):
        return {str(name): _light(child, str(name)) for name, child in value.items()}
    if is_array(value):
        return [_light(child, field) for child in value]
    if isinstance(value, bytes):
        return f"bytes#{_digest(value)}"
    if isinstance(value, str):
        is_long = field in _BYTES and len(value) > LONGEST
        return f"{value[:HEAD]}#{_digest(value.encode('utf-8', 'surrogatepass'))}" if is_long else value
    if value is None or isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return str(value)


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()
