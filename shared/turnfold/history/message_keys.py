"""How a message is known again in a later run: by its id, or by all that was said up to it.

Never by its content alone: "yes" said twice is two messages.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

import orjson

from turnfold.jsonio import is_object
from turnfold.messages import Message

ID = "id"
_START = b""
_SYSTEM = ("system", "developer")


class KeyChain:
    """Gives each message of a conversation, in order, the digest of itself and of all before it.

    System messages are left out of what comes after them. So a digest is the same in each run, as long as the history
    is read whole and nothing is put in before the message.
    """

    def __init__(self) -> None:
        self._digest = _START
        self._alike = Counter[bytes]()

    def next(self, message: Mapping[str, Any]) -> str:
        digest = hashlib.blake2b(self._digest + _content(message), digest_size=16).digest()
        if message.get("role") not in _SYSTEM:
            self._digest = digest
            return digest.hex()
        self._alike[digest] += 1  # the same instructions twice in one place are two messages
        return f"{digest.hex()}.{self._alike[digest]}"


def names(message_id: str | None, chain: str) -> tuple[str, ...]:
    """By which a message is found again; two that share one are the same message."""
    return (f"id:{message_id}", f"at:{chain}") if message_id else (f"at:{chain}",)


def id_of(message: Mapping[str, Any]) -> str | None:
    """The id that a store gave the message; None: none did yet."""
    value = message.metadata.get(ID) if isinstance(message, Message) else None
    return value if isinstance(value, str) else None


def _content(message: Mapping[str, Any]) -> bytes:
    """The message without null fields: databases drop them, and reorder the rest."""
    told = {name: value for name, value in message.items() if value is not None}
    try:
        return orjson.dumps(told, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return json.dumps(told, sort_keys=True, default=str).encode("utf-8", "surrogatepass")


def is_summary(message: Mapping[str, Any]) -> bool:
    """Whether compaction made the message: its metadata says so, whatever its text looks like."""
    return isinstance(message, Message) and is_object(message.metadata) and "summary_of" in message.metadata
