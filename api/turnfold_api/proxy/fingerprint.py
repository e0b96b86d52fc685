"""Two messages that say the same have the same fingerprint, whichever client sent them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from turnfold import jsonio
from turnfold.content import tool_calls
from turnfold.jsonio import is_array, is_object
from turnfold.messages import content_text

# What a client may drop, or a server may add, without another thing being said.
_TOLD = ("role", "tool_call_id", "name", "refusal")


def fingerprint(message: Mapping[str, Any]) -> str:
    """A digest of what the message says: role, content, calls and the call that it answers.

    Clients drop fields that are null or empty, and write a text as a string or as one part.
    """
    told: dict[str, Any] = {field: value for field in _TOLD if (value := message.get(field))}
    told["content"] = _said(message.get("content"))
    told["calls"] = [[call.id, call.name, call.arguments] for call in tool_calls(message)]
    return hashlib.blake2b(jsonio.dumps(told), digest_size=16).hexdigest()


def _said(content: Any) -> Any:
    if not content:
        return ""
    if is_array(content) and all(_is_text(part) for part in content):
        return content_text(content)
    return content


def _is_text(part: Any) -> bool:
    return isinstance(part, str) or (is_object(part) and part.get("type") == "text")
