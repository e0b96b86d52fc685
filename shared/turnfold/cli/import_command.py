"""`turnfold import`: a conversation into a session."""

from __future__ import annotations

from typing import Annotated

import typer


def import_(
    file: Annotated[str, typer.Argument(help="A conversation, JSON or JSONL; -: standard input.")],
    *,
    session: Annotated[str, typer.Option(help="Id of the session; it is made if it is new.")],
    pick: Annotated[int, typer.Option(help="Which conversation of a JSONL file, counted from 0.")] = 0,
    add: Annotated[bool, typer.Option("--add", help="Also to a session that has messages already.")] = False,
    tenant: Annotated[str, typer.Option(help="Whose session.")] = "default",
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Stores a conversation's messages as they are, and plans a summary if one is due."""
    from dataclasses import asdict

    from turnfold import jsonio
    from turnfold.cli.store_access import with_service
    from turnfold.conversation_file import read_conversation
    from turnfold.operations.transfer import import_messages

    messages = read_conversation(file, pick)
    done = with_service(
        lambda service: import_messages(service, session, messages, into_existing=add), tenant=tenant
    )  # fmt: skip
    if json_output:
        typer.echo(jsonio.dumps({"session": session} | asdict(done)).decode())
        return
    due = f"; its summary is made by job {done.job}" if done.job else ""
    typer.echo(f"{len(messages)} messages were imported into {session}, positions {done.first} to {done.last}{due}")
