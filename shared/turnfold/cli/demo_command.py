"""`turnfold demo`: the whole system on one conversation."""

from __future__ import annotations

import asyncio
import os
import secrets
import tempfile
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from turnfold.messages import Message
    from turnfold.supervisor import System


def demo(
    file: Annotated[str | None, typer.Argument(help="A conversation of your own, JSON or JSONL.")] = None,
    *,
    pick: Annotated[int, typer.Option(help="Which conversation of a JSONL file, counted from 0.")] = 0,
) -> None:
    """Starts store, API, worker and schedule, plays a conversation through them, shows what happened, and ends."""
    from turnfold.cli.screen import open_screen
    from turnfold.conversation_file import read_conversation
    from turnfold.errors import BadInput

    messages = read_conversation(file, pick) if file else _bundled()
    if not messages:
        raise BadInput(file or "conversation", "has no messages")
    console = open_screen()
    with tempfile.TemporaryFile() as log:
        try:
            findings = _run(console, messages, log_to=log.fileno())
        except Exception:
            log.seek(0)
            console.print(
                "Log of the parts:", log.read().decode(errors="replace")[-4000:], markup=False, soft_wrap=True
            )
            raise
    if findings:
        raise typer.Exit(1)


def _run(console: Console, messages: list[Message], *, log_to: int) -> list[str]:
    """Plays the messages; the promises that were broken, none if all is well."""
    from turnfold.demo.api_client import ApiClient
    from turnfold.demo.play import Player, turns_of
    from turnfold.demo.screen import show_result, show_turns
    from turnfold.supervisor import running_system

    console.print("Starting store, API, worker and schedule …")
    with running_system(env=_quiet_environment(), log_to=log_to) as system:
        session = f"demo-{secrets.token_hex(4)}"
        console.print(f"They run: {system.base_url} (session {session})", highlight=False)
        client = ApiClient(system.base_url)
        player = Player(client, session)
        turns = show_turns(console, player.play(messages), total=len(turns_of(messages)))
        player.finish()
        show_result(console, turns, player.summaries, client.requests)
        client.close()
        findings = asyncio.run(_audit(system, session))
        for finding in findings:
            console.print(f"[red]broken promise[/] {finding}")
        if not findings:
            console.print("Audit: nothing lost, all covered, pairs intact, counts right.")
        console.print(
            f"The API was at {system.base_url}; it ends now. `turnfold up` keeps it running: "
            "http://127.0.0.1:8400/v1/sessions",
            highlight=False,
        )
    return findings


def _quiet_environment() -> dict[str, str]:
    """The demo stands alone: it calls no model and touches no store that the shell is set up for."""
    kept = {name: "" for name in os.environ if name.startswith("TURNFOLD_")}
    return {**kept, "TURNFOLD_SUMMARIZER": "extractive"}


async def _audit(system: System, session: str) -> list[str]:
    from turnfold.audit import audit
    from turnfold.settings import Settings
    from turnfold.wiring import build_service

    service = build_service(Settings(redis_url=system.redis_url, broker_url=system.broker_url))
    try:
        return [str(found) for found in await audit(service.store, service.key(session), service.policy)]
    finally:
        await service.close()


def _bundled() -> list[Message]:
    from importlib.resources import files

    from turnfold.conversation_file import parse_conversations
    from turnfold.messages import checked_messages

    text = files("turnfold.demo").joinpath("conversation.json").read_bytes()
    return checked_messages(parse_conversations(text)[0])
