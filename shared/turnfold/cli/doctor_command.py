"""`turnfold doctor`: what keeps a deployment from working."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer


def doctor(*, json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Looks at store, broker, clock, versions and model, a line each, with the mend; exit 1 where one is needed."""
    from turnfold import jsonio
    from turnfold.doctor.checkup import checkup
    from turnfold.settings import Settings

    checks = asyncio.run(checkup(Settings()))
    if json_output:
        typer.echo(jsonio.dumps({"checks": [check.to_dict() for check in checks]}).decode())
    else:
        for check in checks:
            typer.echo(" ".join(str(check).split("\n")))
    if not all(check.is_well for check in checks):
        raise typer.Exit(1)
