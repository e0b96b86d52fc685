"""From a summary down to the messages that it stands for."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import BeforeValidator

from turnfold.operations.recall import Originals, originals
from turnfold.protection import build_signer
from turnfold.provenance import Signer
from turnfold_api import schemas
from turnfold_api.access import Service
from turnfold_api.documented import answers
from turnfold_api.json_response import ExactJSON
from turnfold_api.parts import parts_of
from turnfold_api.query import DEFAULT_LIMIT, Limit, none_if_empty
from turnfold_api.session_json import iso_time

router = APIRouter(prefix="/v1/sessions/{session_id}/summaries", tags=["context"])

MAX_POSITION = 2**53
After = Annotated[
    Annotated[int, Query(ge=0, le=MAX_POSITION)] | None,
    BeforeValidator(none_if_empty),
    Query(description="The position behind which to begin."),
]


@router.get("/{group_id:path}", operation_id="getSummary", responses=answers(200, schemas.Summary, 404))
async def get_summary(
    request: Request, session_id: str, group_id: str, service: Service, *, after: After = None, limit: Limit = None
) -> Response:
    """A summary with its provenance, and the messages that it was made from, through earlier summaries too."""
    found = await originals(service, session_id, group_id, after=after or 0, limit=limit or DEFAULT_LIMIT)
    return ExactJSON(_told(found) | {"provenance": _provenance(found, build_signer(parts_of(request).settings))})


def _provenance(found: Originals, signer: Signer) -> dict[str, object]:
    record = found.record
    return {
        "model": record["model"],
        "prompt_version": record["prompt_version"],
        "sources_digest": record.get("sources_digest"),
        "signature": signer.verdict(found.owner, record),
    }


def _told(found: Originals) -> dict[str, object]:
    record, entries = found.record, found.entries
    last = entries[-1].position if entries else 0
    return {
        "id": record["id"],
        "text": record["text"],
        "tokens": record["tokens"],
        "degraded": record["degraded"],
        "created_at": iso_time(record["created_at_ms"]),
        "summary_of": record["summary_of"],
        "chain": found.chain,
        "positions": found.positions,
        "messages": [entry.message for entry in entries],
        "ids": [entry.id for entry in entries],
        "next": last if entries and any(position > last for position in found.positions) else None,
    }
