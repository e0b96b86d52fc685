"""Addresses of several servers that are one store: a cluster, or a master that Sentinels know."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import unquote

from turnfold.errors import BadInput

CLUSTERS = ("redis+cluster", "rediss+cluster")
SENTINELS = ("redis+sentinel", "rediss+sentinel")
CLUSTER_SHAPE = "redis+cluster://USER:PASSWORD@HOST:PORT,HOST:PORT"
SENTINEL_SHAPE = "redis+sentinel://USER:PASSWORD@HOST:PORT,HOST:PORT/SERVICE/0"
DEFAULT_PORTS = {"cluster": 6379, "sentinel": 26379}
LAST_PORT = 65535


@dataclass(frozen=True, slots=True, kw_only=True)
class Servers:
    """
    Attributes:
        kind: `cluster` or `sentinel`.
        hosts: of some nodes, or of the Sentinels, each with its port.
        service: the name under which the Sentinels know the master.
    """

    kind: str
    hosts: tuple[tuple[str, int], ...]
    tls: bool
    username: str | None = None
    password: str | None = None
    service: str = ""
    database: int = 0


def is_several(url: str) -> bool:
    """Whether the address names several servers."""
    return url.partition("://")[0] in (*CLUSTERS, *SENTINELS)


def servers_of(url: str, path: str = "TURNFOLD_REDIS_URL") -> Servers:
    """
    Raises:
        BadInput: naming `path`, and the shape that it must have. It does not quote the address: it holds a password.
    """
    scheme, _, rest = url.partition("://")
    kind = "cluster" if scheme in CLUSTERS else "sentinel"
    shape = CLUSTER_SHAPE if kind == "cluster" else SENTINEL_SHAPE
    place, _, behind = rest.partition("/")
    who, _, names = place.rpartition("@")
    service, _, database = behind.partition("/")
    try:
        hosts = tuple(_host(name, DEFAULT_PORTS[kind]) for name in names.split(","))
        number = int(database or 0)
    except ValueError:
        raise BadInput(path, f"has a host, a port or a database that can't be read; write {shape}") from None
    if (kind == "sentinel") != bool(service) or (kind == "cluster" and number):
        raise BadInput(path, f"is not complete, or says too much; write {shape}")
    username, _, password = who.partition(":")
    return Servers(
        kind=kind,
        hosts=hosts,
        tls=scheme.startswith("rediss"),
        username=unquote(username) or None,
        password=unquote(password) or None,
        service=unquote(service),
        database=number,
    )


def _host(name: str, default_port: int) -> tuple[str, int]:
    host, _, port = name.rpartition(":") if ":" in name else (name, "", "")
    number = int(port) if port else default_port
    if not host or not 0 < number <= LAST_PORT:
        raise ValueError(name)
    return host, number
