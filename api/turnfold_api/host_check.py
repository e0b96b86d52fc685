"""Without API keys, only requests that were meant for this server are answered.

A page in a browser may make any name resolve to 127.0.0.1 and so reach a server that trusts the loopback (DNS
rebinding); it can't make the browser send another Host than that name.
Source: OWASP, "DNS rebinding"; https://en.wikipedia.org/wiki/DNS_rebinding.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from turnfold.errors import Unavailable
from turnfold_api.key_ring import KeyRing
from turnfold_api.problems import Kind, problem

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

MISDIRECTED = Kind(421, "misdirected-request", "The request was meant for another host")
DETAIL = (
    "without API keys only localhost is served: use http://127.0.0.1, name this host in TURNFOLD_ALLOWED_HOSTS, "
    "or set TURNFOLD_API_KEYS"
)


class HostCheck:
    """Wraps the application of a server without API keys.

    Args:
        app: the application.
        hosts: names that are served beside those of this machine.
        ring: the keys; once there are some, any name is served.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str] = (), ring: KeyRing | None = None) -> None:
        self._app, self._ring = app, ring
        self._hosts = frozenset(name_in(host.strip()) for host in hosts if host.strip())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not self._serves(name_in(_host_of(scope))) and not await self._asks_for_keys():
            await problem(MISDIRECTED, DETAIL)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    async def _asks_for_keys(self) -> bool:
        if self._ring is None:
            return False
        with suppress(Unavailable):
            await self._ring.refresh()
        return self._ring.is_required

    def _serves(self, name: str) -> bool:
        return name in self._hosts or is_of_this_machine(name)


def name_in(host: str) -> str:
    """The name in a Host header, without the port, to be compared: `turnfold.example`, `::1`."""
    before, _, port = host.rpartition(":")
    name = before if port.isdecimal() and not host.endswith("]") else host
    return name.strip("[]").rstrip(".").lower()


def is_of_this_machine(name: str) -> bool:
    """Whether a name is the loopback's: `localhost`, `127.0.0.1`, `::1`."""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _host_of(scope: Scope) -> str:
    return next((value.decode("latin-1") for name, value in scope["headers"] if name == b"host"), "")
