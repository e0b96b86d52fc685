"""Errors as HTTP answers (RFC 9457): the one table that says which error has which status."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus

from turnfold import errors
from turnfold_api import errors as api_errors
from turnfold_api.errors import FieldError
from turnfold_api.json_response import ExactJSON

MEDIA_TYPE = "application/problem+json"
URN = "urn:turnfold:problem:"
RETRY_AFTER_SECONDS = 1
MAX_FIELD_ERRORS = 20
# Messages of errors quote what was given, and that may be a whole body.
MAX_TEXT_LENGTH = 2000


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of problem; clients tell kinds apart by the slug."""

    status: int
    slug: str
    title: str


# The most special class that an error belongs to decides.
KINDS: dict[type[Exception], Kind] = {
    errors.BadInput: Kind(422, "invalid-input", "The input is not valid"),
    errors.PolicyError: Kind(422, "invalid-policy", "The policy is not valid"),
    errors.NotFound: Kind(404, "not-found", "There is no such thing"),
    errors.Conflict: Kind(409, "conflict", "The request conflicts with what is stored"),
    errors.RevisionMismatch: Kind(412, "revision-mismatch", "The session has moved on"),
    errors.IdempotencyMismatch: Kind(422, "idempotency-mismatch", "The key was used for another body"),
    errors.Unavailable: Kind(503, "unavailable", "The session store is out of reach"),
    api_errors.UnparsableJson: Kind(400, "unparsable-json", "The body is not JSON"),
    api_errors.InvalidFields: Kind(422, "invalid-input", "The input is not valid"),
    api_errors.BodyTooLarge: Kind(413, "body-too-large", "The body is too large"),
    api_errors.UnsupportedMediaType: Kind(415, "unsupported-media-type", "The body must be JSON"),
    api_errors.Unauthorized: Kind(401, "unauthorized", "An API key is needed"),
    api_errors.ReadOnlyKey: Kind(403, "read-only-key", "The API key may read only"),
}
INTERNAL = Kind(500, "internal-error", "Something went wrong in turnfold")
HEADERS: dict[int, dict[str, str]] = {
    401: {"WWW-Authenticate": "Bearer"},
    503: {"Retry-After": str(RETRY_AFTER_SECONDS)},
}


def kind_of(error: Exception) -> Kind:
    """The kind of an error; an error of no known kind is ours."""
    return next((KINDS[cls] for cls in type(error).__mro__ if cls in KINDS), INTERNAL)


def kind_of_status(status: int) -> Kind:
    """The kind of what the framework refuses by itself."""
    phrase = HTTPStatus(status).phrase
    return Kind(status, phrase.lower().replace(" ", "-"), phrase)


def problem(
    kind: Kind, detail: str, *, fields: Sequence[FieldError] = (), headers: Mapping[str, str] | None = None
) -> ExactJSON:
    """The answer that tells of a problem."""
    content = {
        "type": URN + kind.slug,
        "title": kind.title,
        "status": kind.status,
        "detail": _bounded(detail),
        "errors": [
            {"path": _bounded(field.path), "message": _bounded(field.message)} for field in fields[:MAX_FIELD_ERRORS]
        ],
    }
    all_headers = {**HEADERS.get(kind.status, {}), **(headers or {})}
    return ExactJSON(content, kind.status, headers=all_headers, media_type=MEDIA_TYPE)


def internal_problem() -> ExactJSON:
    """The answer when the fault is ours; the log has the cause, under the request's id."""
    return problem(INTERNAL, "the log has the cause, under the id in X-Request-Id")


def _bounded(text: str) -> str:
    return text if len(text) <= MAX_TEXT_LENGTH else f"{text[:MAX_TEXT_LENGTH]}…"
