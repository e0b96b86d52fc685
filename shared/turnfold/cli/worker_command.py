"""`turnfold worker`: makes summaries."""

from __future__ import annotations

from typing import Annotated

import typer


def worker(
    *,
    concurrency: Annotated[int, typer.Option(help="How many jobs at a time.")] = 16,
    pool: Annotated[str, typer.Option(help="threads; prefork for summarizers that need the processor.")] = "threads",
    queues: Annotated[
        str | None, typer.Option(help="Serve these alone, comma-separated: turnfold.live, turnfold.sweep.")
    ] = None,
) -> None:
    """Makes the summaries that sessions are due, until SIGTERM or Ctrl-C; what is running is finished first."""
    from turnfold.jobs.broker import QUEUES
    from turnfold.settings import Settings
    from turnfold.wiring import check_settings
    from turnfold_workers.main import run_worker

    settings = Settings()
    check_settings(settings)
    chosen = [name.strip() for name in queues.split(",") if name.strip()] if queues is not None else QUEUES
    raise typer.Exit(run_worker(settings, concurrency=concurrency, queues=chosen, pool=pool))
