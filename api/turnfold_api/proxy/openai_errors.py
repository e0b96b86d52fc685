"""Errors as OpenAI's clients know them."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute

from turnfold.errors import BadInput, TurnfoldError
from turnfold_api.json_response import ExactJSON
from turnfold_api.problems import HEADERS, INTERNAL, kind_of

_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


class UpstreamFailed(TurnfoldError):
    """The model's server could not be reached, or did not answer in time."""

    def __init__(self, detail: str, status: int) -> None:
        super().__init__(detail)
        self.status = status


class NotOffered(TurnfoldError):
    """There is nothing here, and why."""


class OpenAIRoute(APIRoute):
    """A route whose errors have OpenAI's shape."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_in_shape(request: Request) -> Response:
            try:
                return await handle(request)
            except RequestValidationError as error:
                return openai_error(400, str(error.errors()[0]["msg"]), code="invalid-input")
            except TurnfoldError as error:
                return _of(error)

        return handle_in_shape


def openai_error(status: int, message: str, *, code: str, param: str | None = None) -> ExactJSON:
    """An error's body as the Chat Completions API has it."""
    default = "invalid_request_error" if status < 500 else "server_error"
    error = {"message": message, "type": _TYPES.get(status, default), "param": param, "code": code}
    return ExactJSON({"error": error}, status, headers=HEADERS.get(status))


def _of(error: TurnfoldError) -> ExactJSON:
    if isinstance(error, UpstreamFailed):
        return openai_error(error.status, error.detail, code="upstream-failed")
    if isinstance(error, NotOffered):
        return openai_error(404, error.detail, code="not-offered")
    kind = kind_of(error)
    if kind is INTERNAL:
        raise error
    # A field that is wrong is 400 in that API.
    status = 400 if kind.status == 422 else kind.status
    return openai_error(status, error.detail, code=kind.slug, param=error.path if isinstance(error, BadInput) else None)
