"""`turnfold compact`: transient compaction, no store."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from turnfold.errors import BadInput

if TYPE_CHECKING:
    from turnfold.policy import Policy


def compact(
    file: Annotated[str | None, typer.Argument(help="JSON or JSONL; standard input if not given.")] = None,
    *,
    policy: Annotated[str, typer.Option("--policy", help="A policy: a JSON file, or JSON itself.")],
    input_format: Annotated[
        str, typer.Option(help="Format of the messages, in and out: chat, responses, anthropic.")
    ] = "chat",
    summarizer: Annotated[
        str, typer.Option(help="What writes summaries: extractive, openai, or package.module:factory.")
    ] = "extractive",
    tokenizer: Annotated[
        str | None, typer.Option(help="In place of the policy's: estimate, an encoding, a model.")
    ] = None,
    report: Annotated[bool, typer.Option("--report", help="Print groups, counts and actions too.")] = False,
    pick: Annotated[int, typer.Option(help="Which conversation of a JSONL file, counted from 0.")] = 0,
) -> None:
    """Compacts a conversation and prints what is left. Nothing is stored."""
    from turnfold import jsonio
    from turnfold.compaction.report import compact_with_report
    from turnfold.compaction.run import CompactionRun
    from turnfold.conversation_file import read_conversation, read_value
    from turnfold.formats import format_named
    from turnfold.formats.source import report_in_input_terms
    from turnfold.policy.argument import policy_from_argument
    from turnfold.protection import with_redaction
    from turnfold.settings import Settings
    from turnfold.wiring import build_summarizer

    written_as = format_named(input_format, "--input-format")
    chosen = policy_from_argument(policy)
    messages = read_conversation(file, pick) if input_format == "chat" else written_as.read(read_value(file, pick))
    settings = Settings()
    writes = with_redaction(build_summarizer(summarizer, settings, named_by="--summarizer"), settings)
    run = CompactionRun(summarizer=writes)
    counter = _tokenizer(chosen, tokenizer)
    result = asyncio.run(compact_with_report(messages, chosen.strategy, tokenizer=counter, run=run))
    for action in result.actions:
        if action.strategy == "summarization" and action.triggered and not action.changed:
            sys.stderr.write(f"turnfold: no summary was made: {action.reason}\n")
    written = written_as.write(result.messages)
    if report:
        shown: Any = result.to_dict() | written | {"groups": report_in_input_terms(result.groups, messages)}
    else:
        shown = written if written.get("system") else written["messages"]
    sys.stdout.buffer.write(jsonio.dumps(shown) + b"\n")


def _tokenizer(policy: Policy, name: str | None) -> Any:
    from turnfold.tokens import tokenizer_named

    if name is None:
        return policy.tokenizer
    try:
        return tokenizer_named(name)
    except ValueError as error:
        raise BadInput("--tokenizer", str(error)) from None
