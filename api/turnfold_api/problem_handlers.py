"""Turns every error into a problem: the library's, the framework's, and those of fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import Match

from turnfold.errors import BadInput, TurnfoldError
from turnfold_api.errors import FieldError, InvalidFields
from turnfold_api.field_errors import field_errors
from turnfold_api.problems import INTERNAL, KINDS, kind_of, kind_of_status, problem

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def add_problem_handlers(app: FastAPI) -> None:
    """Errors of no known kind are left to `RequestLog`, which knows whether an answer has begun."""
    app.add_exception_handler(TurnfoldError, _on_turnfold_error)
    app.add_exception_handler(RequestValidationError, _on_invalid_parameters)
    app.add_exception_handler(HTTPException, _on_http_exception)


async def _on_turnfold_error(_: Request, error: Exception) -> Response:
    kind = kind_of(error)
    if kind is INTERNAL or not isinstance(error, TurnfoldError):
        raise error
    return problem(kind, error.detail, fields=_fields_of(error))


async def _on_invalid_parameters(_: Request, error: Exception) -> Response:
    found: Sequence[Any] = error.errors() if isinstance(error, RequestValidationError) else ()
    invalid = InvalidFields(field_errors([{**one, "loc": one["loc"][1:]} for one in found]))
    return problem(KINDS[InvalidFields], invalid.detail, fields=invalid.fields)


async def _on_http_exception(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    if error.status_code != 405:
        return problem(kind_of_status(error.status_code), _detail(request, error), headers=error.headers)
    headers = {"Allow": ", ".join(allowed_methods(request))}
    if request.method == "OPTIONS":
        return Response(status_code=204, headers=headers)
    return problem(kind_of_status(405), f"{request.method} is not offered here", headers=headers)


def allowed_methods(request: Request) -> list[str]:
    """All methods that this path takes, whichever route has them."""
    taken = [method for method in METHODS if _takes(request, method)]
    return [*taken, *(["HEAD"] if "GET" in taken else []), "OPTIONS"]


def _takes(request: Request, method: str) -> bool:
    scope = {**request.scope, "method": method}
    return any(route.matches(scope)[0] is Match.FULL for route in request.app.routes)


def _detail(request: Request, error: HTTPException) -> str:
    return f"there is nothing at {request.url.path}" if error.status_code == 404 else str(error.detail)


def _fields_of(error: TurnfoldError) -> Sequence[FieldError]:
    if isinstance(error, InvalidFields):
        return error.fields
    return [FieldError(error.path, error.message)] if isinstance(error, BadInput) else []
