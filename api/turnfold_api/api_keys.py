"""API keys: whose they are, and what they may do."""

from __future__ import annotations

import hashlib
import hmac
import re
from dataclasses import dataclass

from turnfold.errors import BadInput

SETTING = "TURNFOLD_API_KEYS"
DEFAULT_TENANT = "default"
_SHAPE = "must be tenant:key, tenant:key:ro, or either with sha256:HEX for the key"
_SHA256 = re.compile(r"[0-9a-fA-F]{64}")
_UNPRINTABLE = re.compile(r"[\x00-\x20\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks."""

    tenant: str
    may_write: bool = True


@dataclass(frozen=True, slots=True)
class ApiKeys:
    """The keys that are set, by their SHA-256; none: everybody is the tenant `default`."""

    callers: tuple[tuple[bytes, Caller], ...] = ()

    @classmethod
    def parse(cls, text: str) -> ApiKeys:
        """
        Args:
            text: `tenant:key[:ro]`, comma-separated; a key may be `sha256:HEX`.

        Raises:
            BadInput: naming the setting and the entry, not the key.
        """
        if not text.strip():
            return cls()
        found: dict[bytes, Caller] = {}
        for number, entry in enumerate(text.split(","), 1):
            digest, caller = _parsed(entry.strip(), number)
            if digest in found:
                raise BadInput(SETTING, f"entry {number} has the key of an earlier one")
            found[digest] = caller
        return cls(tuple(found.items()))

    def __bool__(self) -> bool:
        return bool(self.callers)

    def caller_of(self, key: bytes) -> Caller | None:
        """Whose key it is; takes as long for a wrong key as for a right one."""
        given = hashlib.sha256(key).digest()
        found = [caller for digest, caller in self.callers if hmac.compare_digest(digest, given)]
        return found[0] if found else None


def _parsed(entry: str, number: int) -> tuple[bytes, Caller]:
    tenant, _, rest = entry.partition(":")
    key, may_write = rest.removesuffix(":ro"), not rest.endswith(":ro")
    is_hash, hex_digits = key == "sha256" or key.startswith("sha256:"), key.removeprefix("sha256:")
    is_whole = tenant and key and ":" not in hex_digits and not _UNPRINTABLE.search(tenant + key)
    if not is_whole or (is_hash and not _SHA256.fullmatch(hex_digits)):
        raise BadInput(SETTING, f"entry {number} {_SHAPE}")
    digest = bytes.fromhex(hex_digits) if is_hash else hashlib.sha256(key.encode()).digest()
    return digest, Caller(tenant, may_write)
