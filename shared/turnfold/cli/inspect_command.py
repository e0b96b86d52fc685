"""`turnfold inspect`: what became of each message of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from turnfold.service import TurnfoldService


def inspect(
    session: Annotated[str, typer.Argument(help="The session's id.")],
    *,
    tenant: Annotated[str, typer.Option(help="Whose session.")] = "default",
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Shows a session's groups, what is hidden and why, where each summary came from, counts and the pending job."""
    from turnfold import jsonio
    from turnfold.cli.store_access import with_service

    picture = with_service(lambda service: _picture(service, session), tenant=tenant)
    if json_output:
        typer.echo(jsonio.dumps(picture).decode())
    else:
        _show(picture)


async def _picture(service: TurnfoldService, session: str) -> dict[str, Any]:
    from turnfold.protection import build_signer
    from turnfold.provenance import Owner
    from turnfold.settings import Settings

    head, index = await service.history(session)
    records = await service.store.summaries(service.key(session))
    signer, owner = build_signer(Settings()), Owner(service.tenant, session, head.incarnation)
    return {
        "session": session,
        "revision": head.revision,
        "view_revision": head.view_revision,
        "pending_job": head.pending_job or None,
        "counts": {"included": index.included.public(), "live": index.live.public(), "all": index.all.public()},
        "groups": [group.report() for group in index.groups],
        "summaries": [
            {name: record[name] for name in record if name not in ("metadata", "text")}
            | {"verdict": str(signer.verdict(owner, record))}
            for record in records.values()
        ],
    }


def _show(picture: dict[str, Any]) -> None:
    from rich.markup import escape
    from rich.table import Table

    from turnfold.cli.screen import open_screen

    console = open_screen()
    table = Table("group", "kind", "turn", "messages", "tokens", "shown", "why hidden, or what it stands for")
    for group in picture["groups"]:
        stands_for = f"stands for {len(group['summary_of'])} groups" if group["summary_of"] else ""
        why = group["reason"] or stands_for
        if group["summarized_by"]:
            why += f" → {group['summarized_by']}"
        turn = "" if group["turn"] is None else str(group["turn"])
        table.add_row(
            group["id"], group["kind"], turn, str(group["message_count"]), str(group["tokens"]),
            "yes" if group["included"] else "no", escape(why),
        )  # fmt: skip
    console.print(table)
    for name, counts in picture["counts"].items():
        console.print(f"{name:>8}: " + ", ".join(f"{value} {what}" for what, value in counts.items()))
    for summary in picture["summaries"]:
        by = f"{summary['model']}, prompt {summary['prompt_version'] or 'none'}"
        console.print(escape(f"{summary['id']}: by {by}, {summary['verdict']}"))
    console.print(f"revision {picture['revision']}, pending job: {picture['pending_job'] or 'none'}")
