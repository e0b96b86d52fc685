"""What can be said of messages that have no words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from turnfold.content import text_fields
from turnfold.messages import Message
from turnfold.summaries.media import descriptions

_NAMES = {"image": "images", "audio": "recordings", "video": "videos", "file": "files"}


def wordless(messages: Sequence[Message]) -> str:
    """How many images, recordings and files there were, else how many messages; empty where there are words."""
    kinds = Counter(_name(shown) for message in messages for shown in descriptions(message))
    if kinds:
        return ", ".join(f"{kind}: {count}" for kind, count in sorted(kinds.items()))
    if not messages or any(text.strip() for message in messages for text in text_fields(message)):
        return ""
    return f"messages without words: {len(messages)}"


def _name(description: str) -> str:
    """What such parts are called: `(image: crate.jpg)` is one of the images."""
    kind = description.strip("()").partition(":")[0]
    return _NAMES.get(kind, kind)
