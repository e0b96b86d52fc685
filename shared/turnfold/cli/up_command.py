"""`turnfold up`: everything on one machine."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from turnfold.settings import DEFAULT_PORT


def up(
    *,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of the API and the dashboard; 0: a free one.")
    ] = DEFAULT_PORT,
    data: Annotated[
        Path | None, typer.Option(help="Folder of the embedded store's data; without it, nothing is kept.")
    ] = None,
) -> None:
    """Runs store, API, dashboard, worker and schedule, until Ctrl-C. Their log lines go to standard error."""
    from turnfold.settings import Settings
    from turnfold.supervisor import running_system
    from turnfold.wiring import check_settings
    from turnfold_api.api_keys import ApiKeys

    settings = Settings()
    check_settings(settings)
    ApiKeys.parse(settings.api_keys.get_secret_value())
    _exit_on_signals()
    with running_system(data, port=port) as system:
        typer.echo(f"turnfold is ready at {system.base_url}")
        while True:
            signal.pause()


def _exit_on_signals() -> None:
    """The first signal to end unwinds everything and exits with 0; further ones don't disturb it."""
    ending = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as under nohup
        ending.append(signal.SIGHUP)

    def leave(*_: object) -> NoReturn:
        for number in ending:
            signal.signal(number, signal.SIG_IGN)
        sys.exit(0)

    for number in ending:
        signal.signal(number, leave)
