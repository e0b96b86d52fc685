"""Sessions: make, list, show, change, erase."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import orjson
from fastapi import APIRouter, Request, Response
from pydantic import Field

from turnfold import jsonio
from turnfold.allowed_models import AllowedModels
from turnfold.errors import BadInput, NotFound, RevisionMismatch
from turnfold.service import TurnfoldService
from turnfold.sessions.head import Head
from turnfold_api import schemas
from turnfold_api.access import Service, ServiceToWrite
from turnfold_api.body import Form, read_form
from turnfold_api.cursors import decode_cursor, encode_cursor
from turnfold_api.documented import answers, takes
from turnfold_api.json_response import ExactJSON
from turnfold_api.parts import parts_of
from turnfold_api.policy_field import parse_policy
from turnfold_api.preconditions import IfMatch, etag, revision_to_match
from turnfold_api.query import DEFAULT_LIMIT, Cursor, Limit
from turnfold_api.session_json import session_json

router = APIRouter(prefix="/v1/sessions", tags=["sessions"])

MAX_TTL_SECONDS = 100 * 365 * 24 * 3600
# Settings are read with every request of the session.
MAX_SETTING_BYTES = 64 * 1024
READS_AT_A_TIME = 16


class SessionChanges(Form):
    """Settings of a session. What is left out stays; null: back to the default."""

    policy: dict[str, Any] | None = None
    metadata: dict[str, Any] | None = None
    ttl_seconds: int | None = Field(None, ge=1, le=MAX_TTL_SECONDS)


class NewSession(SessionChanges):
    """A session to be made. Without an id it is given one."""

    id: str | None = None
    service_session_id: str | None = Field(None, min_length=1, max_length=1024)


@router.post(
    "",
    status_code=201,
    operation_id="createSession",
    responses=answers(201, schemas.Session, 403, 409, body=True),
    openapi_extra=takes(NewSession, required=False),
)
async def create_session(request: Request, service: ServiceToWrite) -> Response:
    """Makes a session."""
    form = await read_form(request, NewSession)
    session_id, head = await service.create(
        form.id,
        policy=None
        if form.policy is None
        else parse_policy(_small("policy", form.policy), allowed=parts_of(request).allowed_models),
        metadata=_plain("metadata", _small("metadata", form.metadata or {})),
        ttl_seconds=form.ttl_seconds,
        service_session_id=form.service_session_id,
    )
    return _answer(session_id, head, 201, {"Location": f"/v1/sessions/{quote(session_id, safe='')}"})


@router.get("", operation_id="listSessions", responses=answers(200, schemas.SessionList))
async def list_sessions(service: Service, cursor: Cursor = None, limit: Limit = None) -> Response:
    """Sessions by last activity, newest first."""
    wanted = limit or DEFAULT_LIMIT
    found = await service.store.list_sessions(service.tenant, decode_cursor(cursor), wanted + 1)
    page = found[:wanted]
    following = encode_cursor(*page[-1]) if len(found) > wanted else None
    return ExactJSON({"sessions": await _shown(service, [name for _, name in page]), "next": following})


@router.get("/{session_id}", operation_id="getSession", responses=answers(200, schemas.Session, 404))
async def get_session(session_id: str, service: Service) -> Response:
    """A session's settings, counts and revision."""
    return _answer(session_id, await service.session(session_id))


@router.patch(
    "/{session_id}",
    operation_id="changeSession",
    responses=answers(200, schemas.Session, 403, 404, 412, body=True),
    openapi_extra=takes(SessionChanges),
)
async def change_session(request: Request, session_id: str, service: ServiceToWrite, if_match: IfMatch) -> Response:
    """Changes the settings that are given; moves the revision if there are any."""
    form = await read_form(request, SessionChanges)
    changes = _changes(form, service, parts_of(request).allowed_models)
    wanted = await revision_to_match(if_match, service, session_id)
    if not changes:
        return _answer(session_id, await _matched(service, session_id, wanted))
    return _answer(session_id, await service.update(session_id, if_match=wanted, **changes))


@router.delete(
    "/{session_id}", status_code=204, operation_id="eraseSession", responses=answers(204, None, 403, 404, 412)
)
async def erase_session(session_id: str, service: ServiceToWrite, if_match: IfMatch) -> Response:
    """Erases a session: its messages, its summaries, its jobs."""
    await _matched(service, session_id, await revision_to_match(if_match, service, session_id))
    await service.delete(session_id)
    return Response(status_code=204)


def _answer(session_id: str, head: Head, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return ExactJSON(session_json(session_id, head), status, headers={"ETag": etag(head.revision), **(headers or {})})


def _changes(form: SessionChanges, service: TurnfoldService, allowed: AllowedModels) -> dict[str, Any]:
    """What the form gives, as the head has it."""
    changes: dict[str, Any] = {}
    if "policy" in form.model_fields_set:
        policy = form.policy
        changes["policy"] = "" if policy is None else parse_policy(_small("policy", policy), allowed=allowed).json
    if "metadata" in form.model_fields_set:
        changes["metadata"] = _plain("metadata", _small("metadata", form.metadata or {}))
    if "ttl_seconds" in form.model_fields_set:
        changes["ttl_seconds"] = form.ttl_seconds or service.ttl_seconds
    return changes


def _small(path: str, value: dict[str, Any]) -> dict[str, Any]:
    size = len(jsonio.dumps(value))
    if size > MAX_SETTING_BYTES:
        raise BadInput(path, f"must be at most {MAX_SETTING_BYTES} bytes of JSON, not {size}")
    return value


def _plain(path: str, value: dict[str, Any]) -> dict[str, Any]:
    """The value, if every reader of the store can read it."""
    try:
        orjson.dumps(value)
    except TypeError:
        raise BadInput(path, "must hold valid Unicode and integers of at most 64 bits") from None
    return value


async def _matched(service: TurnfoldService, session_id: str, revision: int | None) -> Head:
    head = await service.session(session_id)
    if revision is not None and revision != head.revision:
        raise RevisionMismatch(f"the session is at revision {head.revision}")
    return head


async def _shown(service: TurnfoldService, session_ids: list[str]) -> list[dict[str, Any]]:
    """The sessions that are still there."""
    found: list[Head | None] = []
    for start in range(0, len(session_ids), READS_AT_A_TIME):
        some = session_ids[start : start + READS_AT_A_TIME]
        found += await asyncio.gather(*(_present(service, session_id) for session_id in some))
    return [session_json(name, head) for name, head in zip(session_ids, found, strict=True) if head]


async def _present(service: TurnfoldService, session_id: str) -> Head | None:
    try:
        return await service.session(session_id)
    except NotFound:
        return None
