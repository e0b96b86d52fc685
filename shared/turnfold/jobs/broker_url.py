"""Which broker carries the wake-ups: the one that is set, or the store's own server."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode, urlsplit

from turnfold.errors import BadInput
from turnfold.sessions.redis_address import checked_address, split_address
from turnfold.sessions.redis_servers import is_several

REDIS_SCHEMES = ("redis", "rediss", "redis+socket")
AMQP_SCHEMES = ("amqp", "amqps", "pyamqp")
# memory:// reaches no other process; it serves tests.
SCHEMES = (*REDIS_SCHEMES, *AMQP_SCHEMES, "memory")
# A server has databases 0 to 15 unless it is told otherwise.
LAST_DATABASE = 15


def chosen_broker_url(broker_url: str | None, *, redis_url: str | None) -> str:
    """The broker's address: the setting, or the store's server with the next database.

    Raises:
        BadInput: neither is set, or the broker is of a kind that Celery can't use.
    """
    if broker_url:
        split_address(broker_url, "TURNFOLD_BROKER_URL")
        return _supported(_as_celery_spells_it(broker_url))
    if redis_url:
        return beside_the_store(redis_url)
    raise BadInput("TURNFOLD_REDIS_URL", "is not set: workers and the API meet at a Redis or Valkey server")


def beside_the_store(redis_url: str) -> str:
    """The same server's next database (after the last the one before it), so that a look at one shows only its own."""
    if is_several(checked_address(redis_url)):
        raise BadInput("TURNFOLD_BROKER_URL", "is not set: a cluster, or a store of Sentinels, is no broker")
    parts = urlsplit(redis_url)
    query = dict(parse_qsl(parts.query))
    # A socket's path names a file, not a database.
    named = "" if parts.scheme == "unix" else parts.path.strip("/")
    database = _neighbour(int(query.get("db") or named or 0))
    if parts.scheme == "unix":
        return f"redis+socket://{parts.netloc}{parts.path}?virtual_host={database}"
    # Other options are redis-py's own; Celery's transport takes its options elsewhere.
    tls = urlencode({name: value for name, value in query.items() if name.startswith("ssl_")})
    return _supported(f"{parts.scheme}://{parts.netloc}/{database}" + (f"?{tls}" if tls else ""))


def is_amqp(broker_url: str) -> bool:
    """RabbitMQ, and what speaks its language."""
    return urlsplit(broker_url).scheme in AMQP_SCHEMES


def is_redis(broker_url: str) -> bool:
    """Redis or Valkey, by TCP or a socket."""
    return urlsplit(broker_url).scheme in REDIS_SCHEMES


def _neighbour(database: int) -> int:
    return database - 1 if database == LAST_DATABASE else database + 1


def _as_celery_spells_it(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme != "unix":
        return url
    database = dict(parse_qsl(parts.query)).get("db", "0")
    return f"redis+socket://{parts.netloc}{parts.path}?virtual_host={database}"


def _supported(url: str) -> str:
    scheme = urlsplit(url).scheme
    if scheme in SCHEMES:
        return url
    if scheme == "valkey":
        raise BadInput("TURNFOLD_BROKER_URL", "starts with valkey://; write redis:// for a Valkey server")
    raise BadInput("TURNFOLD_BROKER_URL", f"starts with {scheme}://; the broker is one of {', '.join(SCHEMES[:-1])}")
