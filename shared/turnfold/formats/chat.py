"""Chat Completions: the format that the engine works on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from turnfold.messages import Message, checked_messages


class ChatFormat:
    """Messages as they are."""

    name = "chat"

    def read(self, value: Any, path: str = "messages") -> list[Message]:
        return checked_messages(value, path)

    def write(self, messages: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
        return {"messages": list(messages)}
