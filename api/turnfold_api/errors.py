"""What can be wrong with a request before the library sees it.

TurnfoldError
├── UnparsableJson          the body is no JSON
├── InvalidFields           fields of the body are wrong: names each
├── BodyTooLarge            more than the server takes
├── UnsupportedMediaType    not JSON, or compressed
├── Unauthorized            no key, or one that is not known
└── ReadOnlyKey             the key may read only
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from turnfold.errors import TurnfoldError


@dataclass(frozen=True, slots=True)
class FieldError:
    """What is wrong with one field."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class UnparsableJson(TurnfoldError):
    """The body is not JSON."""


class InvalidFields(TurnfoldError):
    """Fields of the body are not valid."""

    def __init__(self, fields: Sequence[FieldError]) -> None:
        super().__init__("; ".join(map(str, fields)))
        self.fields = fields


class BodyTooLarge(TurnfoldError):
    """The body is too large."""

    def __init__(self, limit_bytes: int) -> None:
        super().__init__(f"the body is larger than {limit_bytes} bytes (TURNFOLD_MAX_BODY_BYTES)")


class UnsupportedMediaType(TurnfoldError):
    """The body must be sent as application/json."""


class Unauthorized(TurnfoldError):
    """A valid API key is needed: `Authorization: Bearer …`."""


class ReadOnlyKey(TurnfoldError):
    """This API key may read only."""
