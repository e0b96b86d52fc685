"""Summaries of a session."""

from __future__ import annotations

from fastapi import APIRouter, Response

from turnfold.operations.unfolding import unfold
from turnfold_api.access import ServiceToWrite
from turnfold_api.documented import answers

router = APIRouter(prefix="/v1/sessions/{session_id}/summaries", tags=["context"])


@router.delete(
    "/{group_id:path}", status_code=204, operation_id="unfoldSummary", responses=answers(204, None, 403, 404, 409)
)
async def take_back(session_id: str, group_id: str, service: ServiceToWrite) -> Response:
    """Takes a summary back: its sources show again, and only a compaction that is asked for folds them again."""
    await unfold(service, session_id, group_id)
    return Response(status_code=204)
