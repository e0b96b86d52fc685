"""Runs the API in this process until it is told to end."""

from __future__ import annotations

import asyncio
import os
import signal
import socket

import uvicorn
from fastapi import FastAPI

from turnfold import telemetry
from turnfold.errors import Unavailable
from turnfold.logs import set_up_logging
from turnfold.settings import Settings
from turnfold.wiring import build_store
from turnfold_api.api_keys import ApiKeys
from turnfold_api.app import create_app, open_service
from turnfold_api.host_check import is_of_this_machine
from turnfold_api.listening import open_socket, url_of

# Shorter than what `turnfold up` grants its parts; requests take less, and whoever waits is answered at once.
GRACEFUL_SECONDS = 4

log = telemetry.logger(__name__)


def run_api(settings: Settings, *, host: str, port: int) -> None:
    """Serves until SIGTERM or SIGINT, ends what is running, and returns.

    Raises:
        BadInput: a setting is wrong, or the address can't be listened on.
    """
    keys = ApiKeys.parse(settings.api_keys.get_secret_value())
    has_keys = bool(keys) or (not is_of_this_machine(host) and asyncio.run(_has_stored_keys(settings)))
    with open_socket(host, port, loopback_only=not has_keys) as opened:
        set_up_logging(settings.log_format)
        asyncio.run(_serve(settings, opened, host))
    log.info(telemetry.API_STOPPED, pid=os.getpid())


class Server(uvicorn.Server):
    """Lets requests that wait for something answer with what there is when the server is to end."""

    def __init__(self, app: FastAPI, url: str) -> None:
        config = uvicorn.Config(
            app,
            lifespan="on",
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=GRACEFUL_SECONDS,
        )
        super().__init__(config)
        self._app, self._url = app, url

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        log.info(telemetry.API_READY, url=self._url, pid=os.getpid())

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._app.state.parts.closing.set()
        await super().shutdown(sockets)


async def _has_stored_keys(settings: Settings) -> bool:
    """Whether `turnfold keys` has made some."""
    store = build_store(settings)
    try:
        return bool(await store.api_keys())
    except Unavailable:
        return False
    finally:
        await store.close()


async def _serve(settings: Settings, opened: socket.socket, host: str) -> None:
    # The service is made here and not by the application: what is wrong with a setting shall be told in one line.
    async with open_service(settings) as service:
        is_open = not is_of_this_machine(opened.getsockname()[0])
        app = create_app(settings, service=service, host=host, requires_key=is_open)
        server = Server(app, url_of(opened))
        # The server handles these signals while it serves, and raises them again afterwards, for whoever handled them
        # before: that must not be the default, which would end the process before the service is closed.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, server.handle_exit)
        await server.serve(sockets=[opened])
