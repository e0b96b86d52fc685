"""Transient compaction: nothing is stored."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request, Response

from turnfold import jsonio
from turnfold.compaction.report import compact_with_report
from turnfold.compaction.run import CompactionRun
from turnfold.errors import BadInput
from turnfold.formats import Format
from turnfold.formats.source import report_in_input_terms
from turnfold.messages import Message
from turnfold.policy import Policy
from turnfold.summaries.extractive import ExtractiveSummarizer
from turnfold_api import schemas
from turnfold_api.access import AnyCaller
from turnfold_api.body import Form, check_number, read_form
from turnfold_api.documented import answers, takes
from turnfold_api.policy_field import parse_policy
from turnfold_api.query import format_or_chat

router = APIRouter(prefix="/v1/compact", tags=["compaction"], dependencies=[AnyCaller])


class CompactForm(Form):
    """Messages, and what to do with them."""

    messages: list[Any]
    policy: dict[str, Any]
    format: str | None = None
    system: Any = None
    summarize: bool = False


@router.post(
    "",
    operation_id="compactMessages",
    responses=answers(200, schemas.Report, body=True),
    openapi_extra=takes(CompactForm),
)
async def compact_messages(request: Request) -> Response:
    """Compacts messages by a policy and reports what happened. With `summarize`, summaries are extracted in place."""
    form = await read_form(request, CompactForm)
    written_as = format_or_chat(form.format)
    policy = parse_policy(form.policy)
    check_number(form.messages)
    # In a thread: ten thousand messages take seconds, and nobody else's request shall wait for them.
    report = await asyncio.to_thread(_report, form, policy, written_as)
    return Response(report, media_type="application/json")


def _read(form: CompactForm, read_as: Format) -> list[Message]:
    if form.system is None:
        return read_as.read(form.messages)
    if read_as.name != "anthropic":
        raise BadInput("system", 'stands beside the messages in format "anthropic" only')
    return read_as.read({"system": form.system, "messages": form.messages})


def _report(form: CompactForm, policy: Policy, written_as: Format) -> bytes:
    messages = _read(form, written_as)
    run = CompactionRun(summarizer=ExtractiveSummarizer() if form.summarize else None)
    made = asyncio.run(compact_with_report(messages, policy.strategy, tokenizer=policy.tokenizer, run=run))
    groups = report_in_input_terms(made.groups, messages)
    return jsonio.dumps(made.to_dict() | written_as.write(made.messages) | {"groups": groups})
