"""The socket that the server listens on."""

from __future__ import annotations

import errno
import ipaddress
import socket

from turnfold.errors import BadInput

BACKLOG = 2048


def open_socket(host: str, port: int, *, loopback_only: bool) -> socket.socket:
    """A socket that listens already: whoever connects before the server is ready waits instead of being refused.

    Args:
        host: a name or an address; a name counts for the first address that it has.
        port: 0: any that is free.
        loopback_only: refuse what other machines can reach.

    Raises:
        BadInput: the address is not allowed, not ours, or taken.
    """
    family, address = _resolved(host, port)
    if loopback_only and not ipaddress.ip_address(address[0].partition("%")[0]).is_loopback:
        mend = "set TURNFOLD_API_KEYS first, or make a key by `turnfold keys make`, or use 127.0.0.1"
        raise BadInput("--host", f"{host} can be reached from outside: {mend}")
    # The protocol is named, or asyncio does not switch off Nagle's delay, and each answer waits 40 ms for an ACK.
    opened = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(address)
        opened.listen(BACKLOG)
    except OSError as error:
        opened.close()
        if error.errno == errno.EADDRINUSE:
            raise BadInput("--port", f"{port} is taken; give another one, or 0 for any that is free") from None
        raise BadInput("--host", f"can't listen on {host} port {port}: {error.strerror}") from None
    return opened


def url_of(opened: socket.socket) -> str:
    """Where the socket can be reached."""
    host, port = opened.getsockname()[:2]
    return f"http://[{host}]:{port}" if opened.family is socket.AF_INET6 else f"http://{host}:{port}"


def _resolved(host: str, port: int) -> tuple[socket.AddressFamily, tuple[str, int]]:
    if not host.strip():
        raise BadInput("--host", "must be a name or an address")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise BadInput("--host", f"{host} has no address") from None
    family, _, _, _, address = found[0]
    return family, (str(address[0]), int(address[1]))
