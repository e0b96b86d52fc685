"""Sweeps: what is due, and nobody comes to by itself."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from pydantic import Field

from turnfold.operations.sweeping import LIMIT, SweepRequest, sweep
from turnfold.wiring import build_prices
from turnfold_api import schemas
from turnfold_api.access import ServiceToWrite
from turnfold_api.body import Form, read_form
from turnfold_api.documented import answers, takes
from turnfold_api.json_response import ExactJSON
from turnfold_api.parts import parts_of

router = APIRouter(prefix="/v1/sweeps", tags=["jobs"])

MAX_LIMIT = 10_000
MAX_IDLE_SECONDS = 100 * 365 * 24 * 3600


class NewSweep(Form):
    """A sweep over the tenant's sessions."""

    idle_seconds: float = Field(0.0, ge=0, le=MAX_IDLE_SECONDS, allow_inf_nan=False)
    limit: int = Field(LIMIT, ge=1, le=MAX_LIMIT)
    dry_run: bool = False


@router.post(
    "",
    status_code=202,
    operation_id="sweep",
    responses=answers(202, schemas.Sweep, 403, body=True) | answers(200, schemas.Sweep, 403, body=True),
    openapi_extra=takes(NewSweep, required=False),
)
async def create_sweep(request: Request, service: ServiceToWrite) -> Response:
    """Enqueues jobs for sessions that are due; a dry run (200) only tells what it would enqueue, and about the cost."""
    form = await read_form(request, NewSweep)
    wanted = SweepRequest(
        idle_seconds=form.idle_seconds, limit=form.limit, dry_run=form.dry_run, tenant=service.tenant
    )  # fmt: skip
    report = await sweep(service, wanted, prices=build_prices(parts_of(request).settings))
    return ExactJSON(report.to_dict(), 200 if form.dry_run else 202)
