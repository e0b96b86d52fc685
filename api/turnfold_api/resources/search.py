"""Recall: searching what was said in a session, folded or not."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import BeforeValidator

from turnfold.operations.recall import DEFAULT_LIMIT, MAX_LIMIT, MAX_QUERY_CHARS, search
from turnfold_api import schemas
from turnfold_api.access import Service
from turnfold_api.documented import answers
from turnfold_api.json_response import ExactJSON
from turnfold_api.query import none_if_empty

router = APIRouter(prefix="/v1/sessions/{session_id}/search", tags=["messages"])

Words = Annotated[
    str, Query(alias="q", description=f"What to look for, {MAX_QUERY_CHARS} characters at most.", min_length=1)
]
HitLimit = Annotated[
    Annotated[int, Query(ge=1, le=MAX_LIMIT)] | None,
    BeforeValidator(none_if_empty),
    Query(description=f"At most so many; {DEFAULT_LIMIT} if not given, {MAX_LIMIT} at most."),
]


@router.get("", operation_id="searchMessages", responses=answers(200, schemas.SearchResults, 404))
async def search_messages(session_id: str, service: Service, words: Words, limit: HitLimit = None) -> Response:
    """The original messages that match, best first: those that a summary replaced, too, and the newest ones."""
    hits = await search(service, session_id, words, limit=limit or DEFAULT_LIMIT)
    return ExactJSON({"results": [hit.to_dict() for hit in hits]})
