"""`turnfold unfold`: takes a summary back."""

from __future__ import annotations

from typing import Annotated

import typer


def unfold(
    session: Annotated[str, typer.Argument(help="The session's id.")],
    group: Annotated[str, typer.Argument(help="The summary's id, as `turnfold inspect` shows it.")],
    *,
    tenant: Annotated[str, typer.Option(help="Whose session.")] = "default",
) -> None:
    """Takes a summary back: its sources show again, and only a compaction that is asked for folds them again."""
    from turnfold.cli.store_access import with_service
    from turnfold.operations.unfolding import unfold as take_back

    unfolded = with_service(lambda service: take_back(service, session, group), tenant=tenant)
    typer.echo(f"{group} is taken back: {unfolded.messages} messages show again.")
