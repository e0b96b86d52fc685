"""A cluster of three Debian redis-servers on loopback, without replicas."""

from __future__ import annotations

import shutil
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from redis import Redis
from redis.exceptions import RedisError

from tests.support.stores import SEARCH_PATH
from tests.support.waiting import wait_until
from turnfold.processes import free_port, start_tied

NODES = 3
REDIS: Any = Redis  # the types of its methods are full of holes
SLOTS = 16384
START_SECONDS = 30.0


@contextmanager
def redis_cluster(folder: Path) -> Generator[list[int]]:
    """The ports of its nodes, once each of them knows that the cluster is whole."""
    binary = shutil.which("redis-server", path=SEARCH_PATH)
    assert binary is not None
    with ExitStack() as stack:
        nodes = [_started(stack, folder, binary) for _ in range(NODES)]
        ports = [port for port, _ in nodes]
        for number, port in enumerate(ports):
            with REDIS(port=port) as client:
                wait_until(partial(_answers, client), description="a node answers", timeout_seconds=START_SECONDS)
                first, last = SLOTS * number // NODES, SLOTS * (number + 1) // NODES - 1
                client.execute_command("CLUSTER", "ADDSLOTSRANGE", first, last)
                client.execute_command("CONFIG", "SET", "cluster-announce-ip", "127.0.0.1")
                if number:
                    client.execute_command("CLUSTER", "MEET", "127.0.0.1", *nodes[0])
        for port in ports:
            with REDIS(port=port) as client:
                wait_until(partial(_is_whole, client), description="it is whole", timeout_seconds=START_SECONDS)
        yield ports


def _started(stack: ExitStack, folder: Path, binary: str) -> tuple[int, int]:
    """A node's port, and the one on which it speaks to the others."""
    port, bus = free_port(), free_port()
    home = folder / f"node-{port}"
    home.mkdir(parents=True)
    options = f"--port {port} --cluster-port {bus} --bind 127.0.0.1 --cluster-enabled yes --appendonly yes --save"
    log = stack.enter_context((home / "log").open("wb"))
    process = start_tied([binary, *options.split(), "", "--dir", str(home)], stdout=log.fileno())
    stack.callback(process.wait, 10)
    stack.callback(process.terminate)
    return port, bus


def _answers(client: Any) -> bool:
    try:
        return bool(client.ping())
    except RedisError:
        return False


def _is_whole(client: Any) -> bool:
    told = client.execute_command("CLUSTER", "INFO").decode().split()
    return {"cluster_state:ok", f"cluster_known_nodes:{NODES}", f"cluster_size:{NODES}"} <= set(told)
