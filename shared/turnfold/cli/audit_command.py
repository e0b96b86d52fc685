"""`turnfold audit`: checks what the system promises, on stored sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from turnfold.errors import BadInput

if TYPE_CHECKING:
    from turnfold.service import TurnfoldService

PAGE = 200


def audit(
    sessions: Annotated[list[str] | None, typer.Argument(help="Ids of sessions.")] = None,
    *,
    every: Annotated[bool, typer.Option("--all", help="Every session of the tenant.")] = False,
    tenant: Annotated[str, typer.Option(help="Whose sessions.")] = "default",
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Checks sessions: nothing lost, all covered, pairs intact, counts right. Exit 1 where a promise is broken."""
    from turnfold import jsonio
    from turnfold.cli.store_access import with_service

    if not sessions and not every:
        raise BadInput("SESSION", "name a session, or say --all")
    found = with_service(lambda service: _audit(service, sessions or [], every=every), tenant=tenant)
    if json_output:
        typer.echo(jsonio.dumps({"sessions": found}).decode())
    else:
        for session, findings in found.items():
            for finding in findings:
                typer.echo(f"{session}: {finding}")
        broken = sum(bool(findings) for findings in found.values())
        typer.echo(f"{len(found)} sessions checked, {broken} with a broken promise")
    if any(found.values()):
        raise typer.Exit(1)


async def _audit(service: TurnfoldService, sessions: list[str], *, every: bool) -> dict[str, list[str]]:
    from turnfold.audit import audit as check
    from turnfold.protection import build_signer
    from turnfold.settings import Settings

    signer = build_signer(Settings())
    ids = [*sessions, *(await _all_ids(service) if every else [])]
    return {
        session: [str(finding) for finding in await check(service.store, service.key(session), service.policy, signer)]
        for session in dict.fromkeys(ids)
    }


async def _all_ids(service: TurnfoldService) -> list[str]:
    ids: list[str] = []
    before: tuple[int, str] | None = None
    while page := await service.store.list_sessions(service.tenant, before, PAGE):
        before = page[-1]
        ids += [name for _, name in page if await service.store.read_head(service.key(name))]
    return ids
