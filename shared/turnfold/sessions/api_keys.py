"""API keys that are kept in the store: by their SHA-256, so that nobody can read a key out of it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Protocol

ID_DIGITS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredKey:
    """
    Attributes:
        digest: SHA-256 of the key, in hexadecimal.
        may_write: False: the key reads only.
        name: what it is for, as whoever made it said.
    """

    digest: str
    tenant: str
    may_write: bool = True
    name: str = ""
    created_at_ms: int = 0

    @property
    def id(self) -> str:
        """What it is called by those who must not see it."""
        return self.digest[:ID_DIGITS]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> StoredKey:
        return cls(**value)


class ApiKeyStore(Protocol):
    """The part of a session store that knows API keys."""

    async def api_keys(self) -> list[StoredKey]:
        """All keys of all tenants, oldest first."""
        ...

    async def add_api_key(self, key: StoredKey) -> None: ...

    async def drop_api_key(self, digest: str) -> bool:
        """Whether there was one."""
        ...


def digest_of(key: str) -> str:
    """The SHA-256 of a key, in hexadecimal."""
    return hashlib.sha256(key.encode()).hexdigest()
