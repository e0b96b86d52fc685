"""Transient compaction: nothing is stored."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request, Response

from turnfold import jsonio
from turnfold.compaction.report import compact_with_report
from turnfold.compaction.run import CompactionRun
from turnfold.errors import BadInput
from turnfold.messages import Message, checked_messages
from turnfold.policy import Policy
from turnfold.service import MAX_MESSAGES
from turnfold.summaries.extractive import ExtractiveSummarizer
from turnfold_api import schemas
from turnfold_api.access import AnyCaller
from turnfold_api.body import Form, read_form
from turnfold_api.documented import answers, takes
from turnfold_api.policy_field import parse_policy
from turnfold_api.query import check_format

router = APIRouter(prefix="/v1/compact", tags=["compaction"], dependencies=[AnyCaller])


class CompactForm(Form):
    """Messages, and what to do with them."""

    messages: list[Any]
    policy: dict[str, Any]
    format: str | None = None
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
    check_format(form.format)
    policy = parse_policy(form.policy)
    if len(form.messages) > MAX_MESSAGES:
        raise BadInput("messages", f"must be at most {MAX_MESSAGES} messages, not {len(form.messages)}")
    messages = checked_messages(form.messages)
    # In a thread: ten thousand messages take seconds, and nobody else's request shall wait for them.
    report = await asyncio.to_thread(_report, messages, policy, summarize=form.summarize)
    return Response(report, media_type="application/json")


def _report(messages: list[Message], policy: Policy, *, summarize: bool) -> bytes:
    run = CompactionRun(summarizer=ExtractiveSummarizer() if summarize else None)
    made = asyncio.run(compact_with_report(messages, policy.strategy, tokenizer=policy.tokenizer, run=run))
    return jsonio.dumps(made.to_dict())
