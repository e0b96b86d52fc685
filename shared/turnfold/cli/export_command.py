"""`turnfold export`: a session's conversation."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from turnfold.service import TurnfoldService


def export(
    session: Annotated[str, typer.Argument(help="The session's id.")],
    *,
    lines: Annotated[bool, typer.Option("--jsonl", help="A message a line, in place of an array.")] = False,
    tenant: Annotated[str, typer.Option(help="Whose session.")] = "default",
) -> None:
    """Prints a session's messages as they were appended: JSON that `turnfold import` takes."""
    from turnfold.cli.store_access import with_service

    with_service(lambda service: _write(service, session, lines=lines), tenant=tenant)


async def _write(service: TurnfoldService, session: str, *, lines: bool) -> None:
    from turnfold import jsonio
    from turnfold.operations.transfer import exported_messages

    start, between, end = (b"", b"\n", b"\n") if lines else (b"[", b",\n", b"]\n")
    out, written = sys.stdout.buffer, 0
    async for page in exported_messages(service, session):
        for message in page:
            out.write(between if written else start)
            out.write(jsonio.dumps(message))
            written += 1
    if not written and not lines:
        out.write(start)
    out.write(end if written or not lines else b"")
