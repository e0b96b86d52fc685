"""What a server's `INFO` says about the sessions that it keeps. `CONFIG` is not asked: managed servers forbid it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from turnfold.sessions.store_health import StoreHealth

SECTIONS = ("server", "memory", "persistence", "replication")
OLDEST_MAJOR_VERSION = 7
KEEPS_ALL = "noeviction"


def health_of(info: Mapping[str, Any]) -> StoreHealth:
    """The health of a server that answered with this; what it does not tell is not held against it."""
    details = {name: value for name, value in _details(info).items() if value is not None}
    return StoreHealth(reachable=True, problems=tuple(_problems(info, details)), details=details)


def unreachable(why: str) -> StoreHealth:
    """The health of a server that did not answer."""
    return StoreHealth(reachable=False, problems=(f"{why}; see that the server of TURNFOLD_REDIS_URL runs",))


def _details(info: Mapping[str, Any]) -> dict[str, object]:
    valkey = info.get("valkey_version")
    appendonly = info.get("aof_enabled")
    return {
        "server": "valkey" if valkey else "redis" if "redis_version" in info else None,
        "version": str(valkey or info["redis_version"]) if "redis_version" in info else None,
        "used_memory_bytes": info.get("used_memory"),
        "max_memory_bytes": info.get("maxmemory"),
        "maxmemory_policy": info.get("maxmemory_policy"),
        "full": _is_full(info) if "used_memory" in info else None,
        "appendonly": None if appendonly is None else bool(appendonly),
        "role": info.get("role"),
    }


def _problems(info: Mapping[str, Any], details: Mapping[str, object]) -> Iterator[str]:
    policy = details.get("maxmemory_policy", KEEPS_ALL)
    if policy != KEEPS_ALL:
        yield f"maxmemory-policy is {policy}: a server short of memory would drop sessions; set it to {KEEPS_ALL}"
    if details.get("full"):
        used, most = details["used_memory_bytes"], details["max_memory_bytes"]
        yield f"the store is full, {used} bytes of maxmemory {most}: raise maxmemory, or erase sessions"
    version = str(info.get("redis_version", ""))
    major = version.partition(".")[0]
    if major.isdecimal() and int(major) < OLDEST_MAJOR_VERSION:
        yield f"Redis {version} is too old: Redis {OLDEST_MAJOR_VERSION}.0 or later, or Valkey, is needed"
    if info.get("aof_last_write_status", "ok") != "ok":
        yield "the append-only file could not be written, and no write is taken: see that the server's disk has room"
    if info.get("role") == "slave" and info.get("slave_read_only", 1):
        yield "the server is a replica that takes no writes: let TURNFOLD_REDIS_URL name its primary"


def _is_full(info: Mapping[str, Any]) -> bool:
    """As the server itself reckons: what it holds for replicas and its append-only file does not count."""
    most = int(info.get("maxmemory", 0))
    return most > 0 and int(info["used_memory"]) - int(info.get("mem_not_counted_for_evict", 0)) > most
