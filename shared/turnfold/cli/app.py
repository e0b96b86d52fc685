"""All commands by name. Each imports what it needs when it runs, so that `--help` stays quick."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated

import typer

from turnfold.cli import compact_command, policy_command

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


app.command("compact")(compact_command.compact)
app.add_typer(policy_command.app, name="policy")
