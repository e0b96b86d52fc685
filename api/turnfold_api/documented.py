"""What routes say of themselves in the OpenAPI document."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel

from turnfold_api.body import Form
from turnfold_api.problems import HEADERS, MEDIA_TYPE
from turnfold_api.schemas import Problem

TAGS = [
    {"name": "sessions", "description": "Conversations and their settings."},
    {"name": "messages", "description": "The original log, which compaction never changes."},
    {"name": "context", "description": "What the model gets next, and what became of each group."},
    {"name": "jobs", "description": "Summaries in the making."},
    {"name": "usage", "description": "What was spent on summaries, and saved by them."},
    {"name": "compaction", "description": "Compaction of messages that are not stored."},
    {"name": "proxy", "description": "For clients of Chat Completions: only their base URL changes."},
    {"name": "probes", "description": "Whether the server lives and can serve."},
]
_ALWAYS = (401, 422, 500, 503)
_WITH_BODY = (400, 413, 415)
_REFERENCE = {"$ref": "#/components/schemas/Problem"}


def answers(status: int, shape: type[BaseModel] | None, *problems: int, body: bool = False) -> dict[int | str, Any]:
    """For a route's `responses`: its own answer, the problems named, and those that any route may have."""
    own = {"description": HTTPStatus(status).phrase} | ({"model": shape} if shape else {})
    told = sorted({*_ALWAYS, *problems, *(_WITH_BODY if body else ())})
    return {status: own, **{code: problem_answer(code) for code in told}}


def problem_answer(status: int) -> dict[str, Any]:
    """The answer of a status that is an error."""
    answer: dict[str, Any] = {
        "description": HTTPStatus(status).phrase,
        "content": {MEDIA_TYPE: {"schema": _REFERENCE}},
    }
    if names := HEADERS.get(status):
        answer["headers"] = {name: {"schema": {"type": "string"}} for name in names}
    return answer


def takes(form: type[Form], *, required: bool = True) -> dict[str, Any]:
    """For a route's `openapi_extra`: the body that it reads by itself."""
    content = {"application/json": {"schema": form.model_json_schema()}}
    return {"requestBody": {"required": required, "content": content}}


def add_document(app: FastAPI) -> None:
    """Serves the document with the shape of problems, which no route has as its model."""

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            made = get_openapi(
                title=app.title, version=app.version, description=app.description, routes=app.routes, tags=TAGS
            )
            shapes = made.setdefault("components", {}).setdefault("schemas", {})
            problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
            shapes.update(problem.pop("$defs"))
            shapes["Problem"] = problem
            app.openapi_schema = made
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]  # the documented way to change it
