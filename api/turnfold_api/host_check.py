"""Without API keys, only requests that were meant for this machine are answered.

A page in a browser may make any name resolve to 127.0.0.1 and so reach a server that trusts the loopback (DNS
rebinding); it can't make the browser send another Host than that name.
Source: OWASP, "DNS rebinding"; https://en.wikipedia.org/wiki/DNS_rebinding.
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

from turnfold_api.problems import Kind, problem

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

MISDIRECTED = Kind(421, "misdirected-request", "The request was meant for another host")


class HostCheck:
    """Wraps the application of a server without API keys."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not is_of_this_machine(_host_of(scope)):
            answer = problem(
                MISDIRECTED,
                "without API keys only localhost is served: use http://127.0.0.1, or set TURNFOLD_API_KEYS",
            )
            await answer(scope, receive, send)
            return
        await self._app(scope, receive, send)


def is_of_this_machine(host: str) -> bool:
    """Whether a Host header names the loopback: `localhost`, `127.0.0.1:8400`, `[::1]`."""
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() and not host.endswith("]") else host
    name = name.strip("[]").rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _host_of(scope: Scope) -> str:
    return next((value.decode("latin-1") for name, value in scope["headers"] if name == b"host"), "")
