"""Summarization jobs of a tenant."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import BeforeValidator

from turnfold.errors import NotFound
from turnfold.service import TurnfoldService
from turnfold.sessions.job import Job, JobState
from turnfold.sessions.session_key import SHARDS
from turnfold_api import schemas
from turnfold_api.access import Service
from turnfold_api.cursors import decode_cursor, encode_cursor
from turnfold_api.documented import answers
from turnfold_api.json_response import ExactJSON
from turnfold_api.query import DEFAULT_LIMIT, Cursor, Limit, none_if_empty

router = APIRouter(prefix="/v1/jobs", tags=["jobs"])

# The store lists jobs of all states: how many it is asked for at a time, and how many are looked through a request.
READ_AT_A_TIME = 200
MAX_LOOKED_AT = 5000

_JOB_ID = re.compile(r"([0-9]{3})-[0-9A-Za-z_-]{1,100}", re.ASCII)

State = Annotated[JobState | None, BeforeValidator(none_if_empty), Query(description="Only jobs of this state.")]


@router.get("", operation_id="listJobs", responses=answers(200, schemas.JobList))
async def list_jobs(service: Service, state: State = None, cursor: Cursor = None, limit: Limit = None) -> Response:
    """Jobs, newest first. A page of one state may be short, or empty, and still have a next."""
    jobs, behind = await _page(service, state, decode_cursor(cursor), limit or DEFAULT_LIMIT)
    following = encode_cursor(*behind) if behind else None
    return ExactJSON({"jobs": [job.public() for job in jobs], "next": following})


@router.get("/{job_id}", operation_id="getJob", responses=answers(200, schemas.Job, 404))
async def get_job(job_id: str, service: Service) -> Response:
    """One job."""
    shape = _JOB_ID.fullmatch(job_id)
    job = await service.store.read_job(job_id) if shape and int(shape[1]) < SHARDS else None
    if job is None or job.tenant != service.tenant:
        raise NotFound(f"there is no job {job_id!r}")
    return ExactJSON(job.public())


async def _page(
    service: TurnfoldService, state: JobState | None, behind: tuple[int, str] | None, limit: int
) -> tuple[list[Job], tuple[int, str] | None]:
    """Up to `limit` jobs of the state, and the place behind which the next page begins; None: there is none."""
    found: list[Job] = []
    for _ in range(MAX_LOOKED_AT // READ_AT_A_TIME):
        some = await service.store.list_jobs(service.tenant, behind, READ_AT_A_TIME)
        if not some:
            return found, None
        for job in some:
            if state in (None, job.state):
                if len(found) == limit:
                    return found, behind
                found.append(job)
            behind = (job.created_at_ms, job.id)
    return found, behind
