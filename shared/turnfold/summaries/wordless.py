"""What can be said of messages that have no words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from turnfold.jsonio import is_array, is_object
from turnfold.messages import Message

_NAMES = {"image_url": "images", "image_file": "images", "input_audio": "recordings", "file": "files"}


def wordless(messages: Iterable[Message]) -> str:
    """How many images, recordings and files there were; empty where there was none of them either."""
    kinds = Counter(name for message in messages for name in _media_of(message))
    return ", ".join(f"{kind}: {count}" for kind, count in sorted(kinds.items()))


def _media_of(message: Message) -> Iterable[str]:
    content = message.get("content")
    parts = content if is_array(content) else []
    return [_NAMES[kind] for part in parts if is_object(part) and (kind := str(part.get("type"))) in _NAMES]
