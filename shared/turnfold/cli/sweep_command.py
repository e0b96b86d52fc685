"""`turnfold sweep`: one sweep over the sessions."""

from __future__ import annotations

from typing import Annotated

import typer


def sweep(
    *,
    idle: Annotated[str, typer.Option(help="Only sessions that were not written to for so long: 90s, 10m, 2h.")] = "0",
    limit: Annotated[int | None, typer.Option(min=1, help="Enqueue at most so many jobs; 1000 if not given.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Enqueue nothing; say what would be.")] = False,
    tenant: Annotated[str | None, typer.Option(help="Whose sessions; everybody's if not given.")] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Enqueues jobs for sessions that are due, never two a session, and says how many and about what they cost."""
    from turnfold import jsonio
    from turnfold.cli.durations import seconds_of
    from turnfold.cli.store_access import with_service
    from turnfold.operations.sweeping import LIMIT, SweepRequest
    from turnfold.operations.sweeping import sweep as run
    from turnfold.settings import Settings
    from turnfold.wiring import build_prices

    wanted = SweepRequest(
        idle_seconds=seconds_of(idle, "--idle"),
        limit=LIMIT if limit is None else limit,
        dry_run=dry_run,
        tenant=tenant,
    )
    prices = build_prices(Settings())
    report = with_service(lambda service: run(service, wanted, prices=prices))
    if json_output:
        typer.echo(jsonio.dumps(report.to_dict()).decode())
        return
    told = "nothing was enqueued (dry run)" if dry_run else f"{report.enqueued} enqueued"
    cost = f"{report.estimated_cost:.6f}".rstrip("0").rstrip(".")
    typer.echo(f"{report.due} due, {told}; about {report.estimated_tokens:,} tokens, which cost {cost}")
