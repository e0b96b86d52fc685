"""The messages of a session: append, and read the original log."""

from __future__ import annotations

import hashlib
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request, Response
from pydantic import BeforeValidator

from turnfold.errors import BadInput
from turnfold.operations.erasure import erase_message
from turnfold_api import schemas
from turnfold_api.access import Service, ServiceToWrite
from turnfold_api.body import Form, check_number, parse_form, read_raw
from turnfold_api.documented import answers, takes
from turnfold_api.json_response import ExactJSON
from turnfold_api.preconditions import IfMatch, etag, revision_to_match
from turnfold_api.query import DEFAULT_LIMIT, Limit, none_if_empty

router = APIRouter(prefix="/v1/sessions/{session_id}/messages", tags=["messages"])

MAX_KEY_LENGTH = 255
MAX_POSITION = 2**53


class NewMessages(Form):
    """Messages to append, all of them or none."""

    messages: list[Any]
    usage: dict[str, Any] | None = None
    pin: bool | list[int | str] | None = None


After = Annotated[
    Annotated[int, Query(ge=0, le=MAX_POSITION)] | None,
    BeforeValidator(none_if_empty),
    Query(description="The position behind which to begin."),
]
IdempotencyKey = Annotated[
    str | None,
    Header(alias="Idempotency-Key", description="The same key with the same body is stored once, within 24 h."),
]


@router.post(
    "",
    status_code=201,
    operation_id="appendMessages",
    responses=answers(201, schemas.Appended, 403, 412, body=True),
    openapi_extra=takes(NewMessages),
)
async def append_messages(
    request: Request,
    session_id: str,
    service: ServiceToWrite,
    if_match: IfMatch,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Appends messages; makes the session if it is new, and records a job if a summary is due."""
    raw = await read_raw(request)
    form = await parse_form(raw, NewMessages)
    check_number(form.messages)
    result = await service.append(
        session_id,
        form.messages,
        usage=form.usage,
        pin=form.pin,
        idempotency_key=_checked_key(idempotency_key),
        digest=hashlib.sha256(raw).hexdigest() if idempotency_key else "",
        if_match=await revision_to_match(if_match, service, session_id),
    )
    return ExactJSON(result.to_dict(), 201, headers={"ETag": etag(result.revision)})


@router.get("", operation_id="listMessages", responses=answers(200, schemas.MessageList, 404))
async def list_messages(session_id: str, service: Service, after: After = None, limit: Limit = None) -> Response:
    """The original log, as it was appended, whatever compaction did."""
    start, wanted = after or 0, limit or DEFAULT_LIMIT
    read = await service.messages(session_id, after=start, limit=wanted)
    entries = [read.entries[position] for position in sorted(read.entries)]
    end = start + wanted
    return ExactJSON(
        {
            "messages": [entry.message for entry in entries],
            "ids": [entry.id for entry in entries],
            "positions": [entry.position for entry in entries],
            "next": end if end < read.head.length else None,
        }
    )


@router.put(
    "/{message_id:path}/pin", status_code=204, operation_id="pinMessage", responses=answers(204, None, 403, 404)
)
async def pin_message(session_id: str, message_id: str, service: ServiceToWrite) -> Response:
    """Marks a message as never to be lost: every summary that covers it holds it to the letter."""
    await service.pin(session_id, message_id)
    return Response(status_code=204)


@router.delete(
    "/{message_id:path}/pin", status_code=204, operation_id="unpinMessage", responses=answers(204, None, 403, 404)
)
async def unpin_message(session_id: str, message_id: str, service: ServiceToWrite) -> Response:
    """Takes the mark back; summaries that are there stay as they are."""
    await service.pin(session_id, message_id, pinned=False)
    return Response(status_code=204)


@router.delete(
    "/{message_id:path}", status_code=204, operation_id="eraseMessage", responses=answers(204, None, 403, 404, 412)
)
async def erase(session_id: str, message_id: str, service: ServiceToWrite, if_match: IfMatch) -> Response:
    """Erases a message for good, with all that was made of it; summaries that told of it are made again."""
    wanted = await revision_to_match(if_match, service, session_id)
    head = await erase_message(service, session_id, message_id, if_match=wanted)
    return Response(status_code=204, headers={"ETag": etag(head.revision)})


def _checked_key(key: str | None) -> str:
    if key is not None and not 1 <= len(key) <= MAX_KEY_LENGTH:
        raise BadInput("Idempotency-Key", f"must be 1 to {MAX_KEY_LENGTH} characters")
    return key or ""
