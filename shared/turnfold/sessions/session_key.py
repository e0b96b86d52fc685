"""Whose session, and which."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass

from turnfold.errors import BadInput

SHARDS = 256
MAX_LENGTH = 256
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True, order=True)
class SessionKey:
    """A session of a tenant."""

    tenant: str
    id: str

    @property
    def shard(self) -> int:
        """The shard that holds the session and all that belongs to it, fixed for ever: 0 to 255."""
        return zlib.crc32(f"{self.tenant}\0{self.id}".encode()) % SHARDS


def checked_session_id(value: object, path: str = "id") -> str:
    """
    Raises:
        BadInput: unless it is 1 to 256 characters, without control characters and `/`.
    """
    if not isinstance(value, str) or not 1 <= len(value) <= MAX_LENGTH:
        raise BadInput(path, f"must be 1 to {MAX_LENGTH} characters")
    if "/" in value or _CONTROL.search(value):
        raise BadInput(path, "must not contain control characters or /")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise BadInput(path, "must be valid Unicode") from None
    return value
