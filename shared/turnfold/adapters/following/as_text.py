"""What tools take and give, as text."""

from __future__ import annotations

import json
from typing import Any


def as_text(value: Any) -> str:
    """Text as it is, anything else as JSON; what JSON does not know by its own name."""
    if isinstance(value, str):
        return value
    if callable(dump := getattr(value, "model_dump", None)):
        value = dump(mode="json")
    return json.dumps(value, ensure_ascii=False, default=str)


def tool_call(call_id: str, name: str, arguments: Any) -> dict[str, Any]:
    """A call as it stands in a chat message."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": as_text(arguments)}}
