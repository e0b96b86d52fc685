"""All commands by name. Each imports what it needs when it runs, so that `--help` stays quick."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated

import typer

from turnfold.cli import (
    api_command,
    audit_command,
    beat_command,
    compact_command,
    demo_command,
    inspect_command,
    policy_command,
    up_command,
    worker_command,
)

app = typer.Typer(
    name="turnfold",
    help="Folds old turns of a conversation into summaries ahead of the next turn.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"turnfold {version('turnfold')}")
        raise typer.Exit


@app.callback()
def _root(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Folds old turns of a conversation into summaries ahead of the next turn."""


app.command("up")(up_command.up)
app.command("demo")(demo_command.demo)
app.command("api")(api_command.api)
app.command("worker")(worker_command.worker)
app.command("beat")(beat_command.beat)
app.command("compact")(compact_command.compact)
app.command("inspect")(inspect_command.inspect)
app.command("audit")(audit_command.audit)
app.add_typer(policy_command.app, name="policy")
