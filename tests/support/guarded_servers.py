"""Debian's redis-server as it stands in production: with TLS and users, or a pair of them that Sentinels watch."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from redis import Redis
from redis.exceptions import RedisError

from tests.support.stores import SEARCH_PATH
from tests.support.waiting import wait_until
from turnfold.processes import free_port, start_tied

REDIS: Any = Redis  # the types of its methods are full of holes
START_SECONDS = 30.0
USER, PASSWORD, SERVICE = "turnfold", "a-long-secret", "main"
# What docs/how-to/servers.md gives a user of the store and of the broker beside it.
KEYS = "~tf:* ~{tf:* ~turnfold:* &turnfold:*"
COMMANDS = "+@all -@dangerous -@admin +info"
RULES = f"user {USER} on >{PASSWORD} resetchannels {KEYS} {COMMANDS}"


@dataclass(frozen=True)
class Pair:
    """The address of the master that a Sentinel names; the process that is it at first, and a client of that."""

    url: str
    process: subprocess.Popen[bytes]
    client: Any

    def kill_master_in_step(self) -> None:
        """Kills it once its replica has all that it has: replication itself waits for nobody."""
        assert self.client.wait(1, 10_000) == 1
        self.process.kill()


@contextmanager
def server_with_tls_and_users(folder: Path) -> Generator[str]:
    """Its address with `{database}` in it, for a user who may do no more than turnfold must."""
    with ExitStack() as stack:
        _certificate(folder)
        (folder / "users.acl").write_text(f"user default off\n{RULES}\n")
        port = free_port()
        tls = f"--tls-port {port} --port 0 --tls-auth-clients no --tls-cert-file cert.pem --tls-key-file key.pem"
        _start(stack, folder, *tls.split(), "--aclfile", "users.acl")
        url = f"rediss://{USER}:{PASSWORD}@127.0.0.1:{port}/{{database}}?ssl_ca_certs={folder}/cert.pem"
        client = REDIS.from_url(url.format(database=0))
        wait_until(partial(_answers, client), description="it answers by TLS", timeout_seconds=START_SECONDS)
        client.close()
        yield url


@contextmanager
def pair_with_sentinel(folder: Path) -> Generator[Pair]:
    """Both in step, and a Sentinel that watches them."""
    with ExitStack() as stack:
        first, second, watch = free_port(), free_port(), free_port()
        master = _start(stack, folder / "first", "--port", str(first))
        _start(stack, folder / "second", "--port", str(second), "--replicaof", "127.0.0.1", str(first))
        guard = folder / "sentinel"
        guard.mkdir()
        (guard / "sentinel.conf").write_text(
            f"port {watch}\nbind 127.0.0.1\nsentinel monitor {SERVICE} 127.0.0.1 {first} 1\n"
            f"sentinel down-after-milliseconds {SERVICE} 1000\nsentinel failover-timeout {SERVICE} 5000\n"
        )
        _run(stack, guard, "sentinel.conf", "--sentinel")
        client = REDIS(port=watch)
        wait_until(partial(_knows_both, client), description="it knows both", timeout_seconds=START_SECONDS)
        client.close()
        client = REDIS(port=first)
        wait_until(partial(_has_a_replica, client), description="it follows", timeout_seconds=START_SECONDS)
        yield Pair(f"redis+sentinel://127.0.0.1:{watch}/{SERVICE}/0", master, client)
        client.close()


def _start(stack: ExitStack, folder: Path, *options: str) -> subprocess.Popen[bytes]:
    folder.mkdir(parents=True, exist_ok=True)
    return _run(stack, folder, "--bind", "127.0.0.1", "--appendonly", "yes", "--save", "", *options)


def _run(stack: ExitStack, folder: Path, *options: str) -> subprocess.Popen[bytes]:
    binary = shutil.which("redis-server", path=SEARCH_PATH)
    assert binary is not None
    log = stack.enter_context((folder / "log").open("wb"))
    process = start_tied([binary, *options], stdout=log.fileno(), cwd=folder)
    stack.callback(process.wait, 10)
    stack.callback(process.terminate)
    return process


def _certificate(folder: Path) -> None:
    made = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1"
    subprocess.run(
        [*made.split(), "-keyout", "key.pem", "-out", "cert.pem"], cwd=folder, check=True, capture_output=True
    )


def _answers(client: Any) -> bool:
    try:
        return bool(client.ping())
    except RedisError:
        return False


def _has_a_replica(client: Any) -> bool:
    return bool(client.info("replication").get("slave0", {}).get("state") == "online")


def _knows_both(client: Any) -> bool:
    try:
        (master,) = client.sentinel_masters().values()
    except (RedisError, ValueError):
        return False
    return bool(master["num-slaves"] == 1 and not master["is_sdown"])
