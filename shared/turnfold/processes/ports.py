"""Ports of the loopback address."""

from __future__ import annotations

import errno
import random
import socket

LOOPBACK = "127.0.0.1"

# Below the ports that systems hand to outgoing connections (from 32768 on Linux, 49152 on macOS). Among those, a client
# that looks for a server that is down may be given the server's own port, and then hold it against the server's return.
_CHOICE = range(20_000, 32_000)
_TRIES = 100


def port_is_free(port: int) -> bool:
    """Whether a server could listen on the port now; connections of an earlier one that linger don't count.

    Raises:
        OSError: it can't be had for another reason: below 1024, mostly.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return False
            raise
        return True


def free_port() -> int:
    """A port that nothing listens on now. Somebody else may still be quicker: be ready to ask again.

    Raises:
        OSError: nothing is free.
    """
    for _ in range(_TRIES):
        port = random.choice(_CHOICE)
        if port_is_free(port):
            return port
    raise OSError(errno.EADDRINUSE, f"no free port on {LOOPBACK}")
