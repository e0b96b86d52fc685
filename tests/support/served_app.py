"""An application on a loopback port, in a thread of the test's process."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI

from tests.support.waiting import wait_until


@contextmanager
def served(app: FastAPI) -> Generator[str]:
    """Its address, as long as the block lasts."""
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_config=None, ws="none"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    wait_until(lambda: server.started, description="the application serves")
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(20)
