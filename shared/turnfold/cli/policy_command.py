"""`turnfold policy`: checks a policy, shows the default."""

from __future__ import annotations

import json
from typing import Annotated

import typer

app = typer.Typer(help="Checks a policy, or shows the default one.", no_args_is_help=True)


@app.command()
def check(policy: Annotated[str, typer.Argument(help="A JSON file, or JSON itself.")]) -> None:
    """Says whether a policy is valid; if not, names the faulty path (exit 2)."""
    from turnfold.policy.argument import policy_from_argument

    policy_from_argument(policy)
    typer.echo("The policy is valid.")


@app.command()
def show() -> None:
    """Prints the default policy."""
    from turnfold.policy.default import DEFAULT_POLICY

    typer.echo(json.dumps(DEFAULT_POLICY, indent=2))
