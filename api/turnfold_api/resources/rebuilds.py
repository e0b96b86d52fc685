"""Asking for a summary to be made again from the originals."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from turnfold.operations.rebuilding import request_rebuild
from turnfold_api import schemas
from turnfold_api.access import ServiceToWrite
from turnfold_api.body import Form, read_form
from turnfold_api.documented import answers, takes
from turnfold_api.json_response import ExactJSON
from turnfold_api.parts import parts_of

router = APIRouter(prefix="/v1/sessions/{session_id}/rebuilds", tags=["jobs"])


class RebuildRequest(Form):
    """By which prompt and model; those of the policy, where nothing is said."""

    prompt: str | None = None
    model: str | None = None


@router.post(
    "",
    status_code=202,
    operation_id="requestRebuild",
    responses=answers(202, schemas.Job, 403, 404, 409, body=True),
    openapi_extra=takes(RebuildRequest, required=False),
)
async def rebuild(request: Request, session_id: str, service: ServiceToWrite) -> Response:
    """Has the session's summary made again from the original messages. Until a new one passes, the old one stays."""
    form = await read_form(request, RebuildRequest)
    parts_of(request).allowed_models.check("model", form.model)
    job = await request_rebuild(service, session_id, prompt=form.prompt, model=form.model)
    return ExactJSON(job.public(), 202, headers={"Location": f"/v1/jobs/{job.id}"})
