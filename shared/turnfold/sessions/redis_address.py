"""The address of a store, checked before a client is built from it."""

from __future__ import annotations

from urllib.parse import SplitResult, parse_qs, urlsplit

from turnfold.errors import BadInput
from turnfold.sessions.redis_servers import is_several, servers_of

SCHEMES = ("redis", "rediss", "unix")
SHAPES = "redis://HOST:6379/0, rediss://… for TLS, or unix:///PATH"
LAST_PORT = 65535


def checked_address(url: str, path: str = "TURNFOLD_REDIS_URL") -> str:
    """The address as it came. What is said about a wrong one does not quote it: it may hold a password.

    Raises:
        BadInput: naming `path`, and the mend.
    """
    if is_several(url):
        servers_of(url, path)
        return url
    parts = split_address(url, path)
    if parts.scheme not in SCHEMES or "://" not in url:
        raise BadInput(path, _about_scheme(parts.scheme if "://" in url else ""))
    if parts.scheme == "unix" and not parts.path:
        raise BadInput(path, "names no file; write unix:///PATH of the server's socket")
    query = parse_qs(parts.query)
    named = "" if parts.scheme == "unix" else parts.path.strip("/")
    for database in [*query.get("db", []), named]:
        if database and not database.isdecimal():
            raise BadInput(path, "names a database that is not a number; write redis://HOST:6379/0")
    return url


def split_address(url: str, path: str) -> SplitResult:
    """The parts of an address of any kind of server.

    Raises:
        BadInput: naming `path`: its host or its port can't be read.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        raise BadInput(path, f"has a host that can't be read; write {SHAPES}") from None
    try:
        port = parts.port
    except ValueError:
        port = 0
    if port == 0:
        raise BadInput(path, f"has a port that is not a number from 1 to {LAST_PORT}; write {SHAPES}")
    return parts


def _about_scheme(scheme: str) -> str:
    if scheme == "valkey":
        return "starts with valkey://; write redis:// for a Valkey server"
    return f"starts with {scheme}://; write {SHAPES}" if scheme else f"is not an address; write {SHAPES}"
