"""`turnfold api`: the HTTP API."""

from __future__ import annotations

from typing import Annotated

import typer

from turnfold.settings import DEFAULT_PORT


def api(
    *,
    host: Annotated[
        str, typer.Option(help="Address to listen on; without API keys only one that this machine alone can reach.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0: a free one.")] = DEFAULT_PORT,
) -> None:
    """Serves the HTTP API until SIGTERM or Ctrl-C; requests that are running are finished first."""
    from turnfold.settings import Settings
    from turnfold_api.serve import run_api

    run_api(Settings(), host=host, port=port)
