"""Numbers for Prometheus; no key is needed, and nothing in them tells of a tenant or a conversation."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

from turnfold_api.fleet_metrics import Fleet, FleetCollector, read_fleet
from turnfold_api.parts import parts_of

router = APIRouter(tags=["probes"])

# A store that hangs must not take the numbers of this process with it.
STORE_TIMEOUT_SECONDS = 2.0


@router.get(
    "/metrics",
    operation_id="getMetrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}, "description": "Prometheus's text."}},
)
async def metrics(request: Request) -> Response:
    """Counts of all workers, the queue's state, and the requests of this process, in Prometheus's text form."""
    parts = parts_of(request)
    try:
        async with asyncio.timeout(STORE_TIMEOUT_SECONDS):
            fleet = await read_fleet(parts.base_service.store)
    except TimeoutError:
        fleet = Fleet(is_up=False)
    registry = CollectorRegistry()
    registry.register(FleetCollector(fleet))
    text = generate_latest(registry) + generate_latest(parts.http_metrics.registry)
    return Response(text, media_type=CONTENT_TYPE_LATEST)
