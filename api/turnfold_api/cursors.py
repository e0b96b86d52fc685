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
        place = _place(jsonio.loads(base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)))
    except (binascii.Error, ValueError, RecursionError):
        place = None
    if place is None:
        raise BadInput("cursor", "is none that this server gave; leave it out to begin again")
    return place


def _place(value: Any) -> tuple[int, str] | None:
    match value:
        case [int(score), str(name)] if type(score) is int and 0 <= score < _MAX_SCORE and _is_unicode(name):
            return score, name
        case _:
            return None


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)
