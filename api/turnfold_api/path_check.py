"""Paths that don't decode are refused.

Servers put U+FFFD for each byte that is no UTF-8: two broken ids would be one, and their sessions meet.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

from turnfold_api.problems import Kind, problem

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

MALFORMED = Kind(400, "malformed-path", "The path can't be read")
DETAIL = "what stands in a path must be percent-encoded UTF-8: é is %C3%A9, and % itself is %25"
_LONE_PERCENT = re.compile(rb"%(?![0-9A-Fa-f]{2})")


class PathCheck:
    """Wraps the application."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not can_be_read(scope.get("raw_path") or b""):
            await problem(MALFORMED, DETAIL)(scope, receive, send)
            return
        await self._app(scope, receive, send)


def can_be_read(raw_path: bytes) -> bool:
    """Whether a path, as it was sent, is percent-encoded UTF-8."""
    if b"%" not in raw_path:
        return True
    try:
        unquote_to_bytes(raw_path).decode()
    except UnicodeDecodeError:
        return False
    return _LONE_PERCENT.search(raw_path) is None
