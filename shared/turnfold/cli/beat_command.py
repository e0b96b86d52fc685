"""`turnfold beat`: the schedule."""

from __future__ import annotations

import typer


def beat() -> None:
    """Has idle sessions looked for by schedule, until SIGTERM or Ctrl-C. Several may run; one at a time works."""
    from turnfold.settings import Settings
    from turnfold.wiring import check_connections
    from turnfold_workers.main import run_beat

    settings = Settings()
    check_connections(settings)
    raise typer.Exit(run_beat(settings))
