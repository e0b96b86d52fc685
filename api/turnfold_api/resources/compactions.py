"""Asking for a summary now."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from turnfold_api import schemas
from turnfold_api.access import ServiceToWrite
from turnfold_api.body import Form, read_form
from turnfold_api.documented import answers, takes
from turnfold_api.json_response import ExactJSON

router = APIRouter(prefix="/v1/sessions/{session_id}/compactions", tags=["jobs"])


class CompactionRequest(Form):
    """Nothing can be said yet: the session's policy decides."""


@router.post(
    "",
    status_code=202,
    operation_id="requestCompaction",
    responses=answers(202, schemas.Job, 403, 404, body=True),
    openapi_extra=takes(CompactionRequest, required=False),
)
async def request_compaction(request: Request, session_id: str, service: ServiceToWrite) -> Response:
    """Asks for a summary whatever the trigger says: the job that makes it, the pending one if there is one."""
    await read_form(request, CompactionRequest)
    job = await service.compact(session_id)
    return ExactJSON(job.public(), 202, headers={"Location": f"/v1/jobs/{job.id}"})
