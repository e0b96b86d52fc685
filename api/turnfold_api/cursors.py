"""Where the next page of a list begins, as a text that clients hand back unread."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from turnfold import jsonio
from turnfold.errors import BadInput

_MAX_SCORE = 2**53


def encode_cursor(score: int, name: str) -> str:
    """The place behind the item of that score and name."""
    return base64.urlsafe_b64encode(jsonio.dumps([score, name])).decode().rstrip("=")


def decode_cursor(text: str | None) -> tuple[int, str] | None:
    """Score and name of the last item of the page before; None: the list's beginning.

    Raises:
        BadInput: it is no cursor.
    """
    if not text:
        return None
    try:
        value = jsonio.loads(base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError):
        value = None
    if not _is_place(value):
        raise BadInput("cursor", "is none that this server gave; leave it out to begin again")
    return value[0], value[1]


def _is_place(value: Any) -> bool:
    return (
        isinstance(value, list)
        and [type(one) for one in value] == [int, str]
        and 0 <= value[0] < _MAX_SCORE
        and not any("\ud800" <= character <= "\udfff" for character in value[1])
    )
