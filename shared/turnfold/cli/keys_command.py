"""`turnfold keys`: API keys in the store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from turnfold.sessions.api_keys import StoredKey

app = typer.Typer(help="Makes, lists and revokes API keys.", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
SETTING = "TURNFOLD_API_KEYS"


@app.command()
def make(
    tenant: Annotated[str, typer.Argument(help="Whose key; it sees this tenant's sessions alone.")] = "default",
    *,
    read_only: Annotated[bool, typer.Option("--read-only", help="A key that reads and writes nothing.")] = False,
    name: Annotated[str, typer.Option(help="What it is for.")] = "",
    json_output: AsJson = False,
) -> None:
    """Makes a key and shows it, this once. From then on every call of the API needs a key."""
    from turnfold import jsonio
    from turnfold.cli.store_access import with_service
    from turnfold.operations.api_keys import make_key

    secret, key = with_service(
        lambda service: make_key(service.store, tenant, may_write=not read_only, name=name)
    )  # fmt: skip
    if json_output:
        typer.echo(jsonio.dumps(_told(key) | {"key": secret}).decode())
        return
    typer.echo(secret)
    typer.echo(f"It is not shown again. Its id is {key.id}; `turnfold keys revoke {key.id}` takes it back.", err=True)


@app.command("list")
def list_(
    *,
    tenant: Annotated[str | None, typer.Option(help="Only of this tenant.")] = None,
    json_output: AsJson = False,
) -> None:
    """Shows the keys of the store and of the setting: whose they are, never the keys themselves."""
    from turnfold import jsonio
    from turnfold.cli.store_access import with_service

    stored = with_service(lambda service: service.store.api_keys())
    told = [one for one in [*_of_setting(), *map(_told, stored)] if tenant in (None, one["tenant"])]
    if json_output:
        typer.echo(jsonio.dumps({"keys": told}).decode())
    else:
        _show(told)


@app.command()
def revoke(
    key: Annotated[str, typer.Argument(help="The key's id, as `turnfold keys list` shows it, or the key.")],
    *,
    json_output: AsJson = False,
) -> None:
    """Takes a key back; servers refuse it within seconds."""
    from turnfold import jsonio
    from turnfold.cli.store_access import with_service
    from turnfold.errors import Conflict
    from turnfold.operations.api_keys import revoke_key

    if any(key == one["id"] for one in _of_setting()):
        raise Conflict(f"the key {key} is set in {SETTING}: take it out there")
    revoked = with_service(lambda service: revoke_key(service.store, key))
    if json_output:
        typer.echo(jsonio.dumps(_told(revoked)).decode())
        return
    typer.echo(f"The key {revoked.id} of tenant {revoked.tenant} is revoked.")


def _of_setting() -> list[dict[str, Any]]:
    from turnfold.sessions.api_keys import ID_DIGITS
    from turnfold.settings import Settings
    from turnfold_api.api_keys import ApiKeys

    keys = ApiKeys.parse(Settings().api_keys.get_secret_value())
    return [
        {
            "id": digest.hex()[:ID_DIGITS],
            "tenant": caller.tenant,
            "may_write": caller.may_write,
            "name": "",
            "created_at_ms": None,
            "source": SETTING,
        }
        for digest, caller in keys.callers
    ]


def _told(key: StoredKey) -> dict[str, Any]:
    told = {name: value for name, value in key.to_json().items() if name != "digest"}
    return {"id": key.id, **told, "source": "store"}


def _show(keys: Sequence[dict[str, Any]]) -> None:
    from datetime import UTC, datetime

    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table("id", "tenant", "may", "made", "for", "kept in")
    for key in keys:
        at = key["created_at_ms"]
        made = datetime.fromtimestamp(at / 1000, tz=UTC).strftime("%Y-%m-%d %H:%M") if at else ""
        may = "read and write" if key["may_write"] else "read"
        table.add_row(key["id"], escape(key["tenant"]), may, made, escape(key["name"]), key["source"])
    console = Console()
    console.print(table)
    if not keys:
        console.print("There is no key: the API serves this machine alone, as tenant default.")
