"""A drop-in for clients of Chat Completions: they change their base URL, and their conversations are folded."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, Request, Response

from turnfold_api.access import AnyCaller, Service, ServiceToWrite
from turnfold_api.body import read_raw
from turnfold_api.parts import parts_of
from turnfold_api.proxy.calls import Caller, complete, passed_through
from turnfold_api.proxy.openai_errors import NotOffered, OpenAIRoute
from turnfold_api.proxy.upstream import Upstream

router = APIRouter(tags=["proxy"], route_class=OpenAIRoute)

SessionHeader = Annotated[
    str | None, Header(alias="X-Session-Id", description="The session; without any, nothing is stored.")
]
HistoryHeader = Annotated[
    str | None,
    Header(alias="X-Turnfold-History", description="full, delta, or auto: what the body's messages are."),
]
_JSON: dict[str, Any] = {"application/json": {"schema": {"type": "object"}}}
_ERROR: dict[str, Any] = {"description": "An error in OpenAI's shape", "content": _JSON}
_ANSWERS: dict[int | str, Any] = {
    200: {"description": "The reply of the model", "content": {**_JSON, "text/event-stream": {}}},
    **dict.fromkeys((400, 401, 403, 404, 413, 415, 429, 500, 502, 503, 504), _ERROR),
}
_BODY = {"requestBody": {"required": True, "content": {"application/json": {"schema": {"type": "object"}}}}}


@router.post("/v1/chat/completions", operation_id="createChatCompletion", responses=_ANSWERS, openapi_extra=_BODY)
async def create_completion(
    request: Request, service: ServiceToWrite, session: SessionHeader = None, _history: HistoryHeader = None
) -> Response:
    """Answers as the model behind does; it gets the session's compacted context, and the turn is stored."""
    caller = Caller(request.headers, session, service, upstream_of(request))
    return await complete(await read_raw(request), caller)


@router.post(
    "/s/{session_id}/v1/chat/completions",
    operation_id="createChatCompletionInSession",
    responses=_ANSWERS,
    openapi_extra=_BODY,
)
async def create_completion_in_session(
    request: Request,
    session_id: str,
    service: ServiceToWrite,
    session: SessionHeader = None,
    _history: HistoryHeader = None,
) -> Response:
    """The same for clients that can only be given a base URL; the header wins."""
    caller = Caller(request.headers, session or session_id, service, upstream_of(request))
    return await complete(await read_raw(request), caller)


@router.get("/v1/models", operation_id="listModels", responses=_ANSWERS, dependencies=[AnyCaller])
@router.get("/s/{session_id}/v1/models", include_in_schema=False, dependencies=[AnyCaller])
async def list_models(request: Request, _service: Service) -> Response:
    """The models that the server behind has."""
    return await passed_through("/models", request.headers, upstream_of(request))


@router.post("/v1/responses", include_in_schema=False, dependencies=[AnyCaller])
@router.post("/s/{session_id}/v1/responses", include_in_schema=False, dependencies=[AnyCaller])
async def refuse_responses() -> Response:
    """
    Raises:
        NotOffered: always.
    """
    raise NotOffered("turnfold offers /v1/chat/completions; /v1/responses is not offered")


def upstream_of(request: Request) -> Upstream:
    """
    Raises:
        NotOffered: no model's server is set.
    """
    upstream = parts_of(request).upstream
    if upstream is None:
        raise NotOffered("no model's server is set: TURNFOLD_UPSTREAM_BASE_URL, such as http://127.0.0.1:8000/v1")
    return upstream
