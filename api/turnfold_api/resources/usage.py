"""A tenant's ledger."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response

from turnfold.jobs.prices import Prices
from turnfold.sessions.ledger import Ledger
from turnfold.wiring import build_prices
from turnfold_api import schemas
from turnfold_api.access import Service
from turnfold_api.documented import answers
from turnfold_api.json_response import ExactJSON
from turnfold_api.parts import parts_of

router = APIRouter(prefix="/v1/usage", tags=["usage"])


@router.get("", operation_id="getUsage", responses=answers(200, schemas.Usage))
async def get_usage(request: Request, service: Service) -> Response:
    """What the tenant's summaries cost, and what they saved in the contexts that were served."""
    ledger = await service.store.ledger(service.tenant)
    return ExactJSON(usage_json(service.tenant, ledger, build_prices(parts_of(request).settings)))


def usage_json(tenant: str, ledger: Ledger, prices: Prices) -> dict[str, Any]:
    """The ledger as the API shows it. What was spent is in the prices of its time, what was saved in those of today."""
    return {
        "tenant": tenant,
        "spent": {
            "summaries": ledger.summaries,
            "prompt_tokens": ledger.prompt_tokens,
            "completion_tokens": ledger.completion_tokens,
            "tokens": ledger.prompt_tokens + ledger.completion_tokens,
            "cost": round(ledger.cost, 9),
        },
        "saved": {
            "contexts": ledger.contexts,
            "tokens": ledger.folded_tokens,
            "cost": prices.of_context(ledger.folded_tokens),
            "hidden_tokens": ledger.hidden_tokens,
        },
    }
