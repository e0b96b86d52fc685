"""Summarization jobs of a tenant."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import BeforeValidator

from turnfold.operations import job_control
from turnfold.sessions.job import JobState
from turnfold_api import schemas
from turnfold_api.access import Service, ServiceToWrite
from turnfold_api.body import Form, read_form
from turnfold_api.cursors import decode_cursor, encode_cursor
from turnfold_api.documented import answers, takes
from turnfold_api.json_response import ExactJSON
from turnfold_api.query import DEFAULT_LIMIT, Cursor, Limit, none_if_empty

router = APIRouter(prefix="/v1/jobs", tags=["jobs"])

State = Annotated[JobState | None, BeforeValidator(none_if_empty), Query(description="Only jobs of this state.")]


@router.get("", operation_id="listJobs", responses=answers(200, schemas.JobList))
async def list_jobs(service: Service, state: State = None, cursor: Cursor = None, limit: Limit = None) -> Response:
    """Jobs, newest first. A page of one state may be short, or empty, and still have a next."""
    behind = decode_cursor(cursor)
    jobs, behind = await job_control.list_jobs(service, state, behind, limit or DEFAULT_LIMIT)
    following = encode_cursor(*behind) if behind else None
    return ExactJSON({"jobs": [job.public() for job in jobs], "next": following})


@router.get("/{job_id}", operation_id="getJob", responses=answers(200, schemas.Job, 404))
async def get_job(job_id: str, service: Service) -> Response:
    """One job."""
    return ExactJSON((await job_control.find_job(service, job_id)).public())


class JobAction(Form):
    """Nothing can be said."""


@router.post(
    "/{job_id}/retry",
    status_code=202,
    operation_id="retryJob",
    responses=answers(202, schemas.Job, 403, 404, 409, body=True),
    openapi_extra=takes(JobAction, required=False),
)
async def retry_job(request: Request, job_id: str, service: ServiceToWrite) -> Response:
    """Queues a dead job anew, with all its tries; one that waits for its next try is tried now."""
    await read_form(request, JobAction)
    job = await job_control.retry_job(service, job_id)
    return ExactJSON(job.public(), 202, headers={"Location": f"/v1/jobs/{job.id}"})


@router.post(
    "/{job_id}/cancel",
    operation_id="cancelJob",
    responses=answers(200, schemas.Job, 403, 404, 409, body=True),
    openapi_extra=takes(JobAction, required=False),
)
async def cancel_job(request: Request, job_id: str, service: ServiceToWrite) -> Response:
    """Ends a job for good; what a worker makes of it is not taken."""
    await read_form(request, JobAction)
    return ExactJSON((await job_control.cancel_job(service, job_id)).public())
