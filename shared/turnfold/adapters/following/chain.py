"""An id for each message of a history, told by the message and by all that stand before it.

Frameworks give messages no ids, or new ones. With these, two histories have the same id at a place exactly when they
are the same up to there: one comparison tells whether a log still is the beginning of a history, and "yes" said twice
is two messages.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from turnfold import jsonio

PREFIX = "h_"


def chained_ids(messages: Iterable[Mapping[str, Any]]) -> list[str]:
    """The ids of the messages, in order."""
    ids: list[str] = []
    link = b""
    for message in messages:
        link = hashlib.blake2b(link + jsonio.dumps(message), digest_size=16).digest()
        ids.append(PREFIX + link.hex())
    return ids
