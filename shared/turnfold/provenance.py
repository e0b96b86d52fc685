"""Where a summary came from, signed: what stands in its record was written by a worker that has the key.

A signature is `v1:KEY:HMAC`. KEY is a fingerprint of the key, so that keys can be changed: the first one signs, all of
them verify. The keys are never in the store. Without any, summaries are not signed, and nothing is checked.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

SIGNED_FIELDS = (
    "id", "place", "text", "summary_of", "positions", "message_ids", "model", "prompt_version", "degraded",
    "sources_digest",
)  # fmt: skip
_VERSION = "v1"
_PURPOSE = b"turnfold summary "


class Verdict(StrEnum):
    """What a signature is worth."""

    SIGNED = "signed"  # by one of the keys
    UNSIGNED = "unsigned"  # made where no key was set
    UNKNOWN_KEY = "unknown_key"  # signed by a key that is not among those that are set
    FORGED = "forged"  # not what was signed
    UNCHECKED = "unchecked"  # no key is set here


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose summary: one session of one tenant, as long as it is the same one."""

    tenant: str
    session: str
    incarnation: str


class Signer:
    """
    Args:
        keys: the first one signs, all verify.
    """

    def __init__(self, keys: Sequence[str] = ()) -> None:
        self._keys = {_fingerprint(key): key.encode() for key in reversed(keys)}
        self._own = _fingerprint(keys[0]) if keys else ""

    def __bool__(self) -> bool:
        return bool(self._own)

    def sign(self, owner: Owner, record: Mapping[str, Any]) -> str:
        """The signature of a summary's record; empty where no key is set."""
        return f"{_VERSION}:{self._own}:{_hmac(self._keys[self._own], owner, record)}" if self else ""

    def verdict(self, owner: Owner, record: Mapping[str, Any]) -> Verdict:
        """What the record's signature is worth here."""
        if not self:
            return Verdict.UNCHECKED
        signature = str(record.get("signature") or "")
        if not signature:
            return Verdict.UNSIGNED
        version, _, rest = signature.partition(":")
        name, _, told = rest.partition(":")
        if version != _VERSION or name not in self._keys:
            return Verdict.UNKNOWN_KEY
        is_same = hmac.compare_digest(told.encode(), _hmac(self._keys[name], owner, record).encode())
        return Verdict.SIGNED if is_same else Verdict.FORGED


def sources_digest(messages: Iterable[tuple[int, Mapping[str, Any]]], summaries: Iterable[tuple[str, str]] = ()) -> str:
    """A digest of all that a summary was made from.

    Args:
        messages: with their positions.
        summaries: ids and texts of earlier summaries.
    """
    told = [sorted(messages, key=lambda one: one[0]), sorted(summaries)]
    return hashlib.sha256(_canonical(told)).hexdigest()


def _fingerprint(key: str) -> str:
    return hashlib.sha256(_PURPOSE + key.encode()).hexdigest()[:12]


def _hmac(key: bytes, owner: Owner, record: Mapping[str, Any]) -> str:
    told = [owner.tenant, owner.session, owner.incarnation, {name: record.get(name) for name in SIGNED_FIELDS}]
    return hmac.new(key, _PURPOSE + _canonical(told), hashlib.sha256).hexdigest()


def _canonical(value: Any) -> bytes:
    """The same bytes for the same JSON value; ASCII, so that halves of characters do no harm."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode("ascii")
