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
    doctor_command,
    export_command,
    import_command,
    inspect_command,
    jobs_command,
    keys_command,
    policy_command,
    rebuild_command,
    sweep_command,
    unfold_command,
    up_command,
    worker_command,
)
from turnfold.cli.settings_help import WHERE, GroupWithSettings

app = typer.Typer(
    name="turnfold",
    cls=GroupWithSettings,
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


app.command("up", epilog=WHERE)(up_command.up)
app.command("demo", epilog=WHERE)(demo_command.demo)
app.command("api", epilog=WHERE)(api_command.api)
app.command("worker", epilog=WHERE)(worker_command.worker)
app.command("beat", epilog=WHERE)(beat_command.beat)
app.command("compact", epilog=WHERE)(compact_command.compact)
app.command("inspect", epilog=WHERE)(inspect_command.inspect)
app.command("audit", epilog=WHERE)(audit_command.audit)
app.command("sweep", epilog=WHERE)(sweep_command.sweep)
app.command("unfold", epilog=WHERE)(unfold_command.unfold)
app.command("rebuild", epilog=WHERE)(rebuild_command.rebuild)
app.command("doctor", epilog=WHERE)(doctor_command.doctor)
app.command("import", epilog=WHERE)(import_command.import_)
app.command("export", epilog=WHERE)(export_command.export)
app.add_typer(jobs_command.app, name="jobs", epilog=WHERE)
app.add_typer(keys_command.app, name="keys", epilog=WHERE)
app.add_typer(policy_command.app, name="policy")
