"""The context of the model's next call."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import BeforeValidator

from turnfold_api import schemas
from turnfold_api.access import Service
from turnfold_api.documented import answers
from turnfold_api.json_response import ExactJSON
from turnfold_api.pending_job import wait_for_pending_job
from turnfold_api.query import FormatName, format_or_chat, none_if_empty

router = APIRouter(prefix="/v1/sessions/{session_id}/context", tags=["context"])

MAX_WAIT_MS = 30_000

BudgetTokens = Annotated[
    Annotated[int, Query(ge=1, le=2**53)] | None,
    BeforeValidator(none_if_empty),
    Query(description="At most so many tokens, where the newest group allows."),
]
WaitMs = Annotated[
    Annotated[int, Query(ge=0)] | None,
    BeforeValidator(none_if_empty),
    Query(description=f"How long to wait for the pending job, at most; never more than {MAX_WAIT_MS}."),
]


@router.get("", operation_id="getContext", responses=answers(200, schemas.Context, 404))
async def get_context(
    request: Request,
    session_id: str,
    service: Service,
    *,
    format: FormatName = None,  # noqa: A002  # the parameter's name in the URL
    budget_tokens: BudgetTokens = None,
    wait_ms: WaitMs = None,
) -> Response:
    """The messages for the model's next call. Never waits for a summarizer unless `wait_ms` asks for it."""
    written_as = format_or_chat(format)
    if wait_ms:
        await wait_for_pending_job(request, service, session_id, min(wait_ms, MAX_WAIT_MS))
    turn = await service.context(session_id, budget_tokens=budget_tokens)
    return ExactJSON(turn.to_dict() | written_as.write(turn.messages))
