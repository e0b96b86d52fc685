"""Request bodies: read up to a bound, parsed without loss, checked field by field."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any, TypeVar

from fastapi import Request
from pydantic import BaseModel, ConfigDict, ValidationError

from turnfold import jsonio
from turnfold.beside import run_beside
from turnfold.errors import BadInput
from turnfold.service import MAX_MESSAGES
from turnfold_api.errors import BodyTooLarge, InvalidFields, UnparsableJson, UnsupportedMediaType
from turnfold_api.field_errors import field_errors
from turnfold_api.parts import parts_of
from turnfold_api.stepwise_json import loads_in_steps

# Of a body of this size it takes some milliseconds to parse and check it.
LARGE_BYTES = 256 * 1024
# The library's fast JSON writer goes 254 levels deep; answers wrap messages in some more.
MAX_DEPTH = 100


class Form(BaseModel):
    """What a body may say: these fields, of these types exactly."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


AnyForm = TypeVar("AnyForm", bound=Form)


async def read_form(request: Request, form: type[AnyForm]) -> AnyForm:
    """The body as a form; an empty body is an empty object.

    Raises:
        UnparsableJson, InvalidFields, BodyTooLarge, UnsupportedMediaType
    """
    return await parse_form(await read_raw(request), form)


async def read_raw(request: Request) -> bytes:
    """The bytes of the body, as long as they are no more than the server takes."""
    limit = parts_of(request).settings.max_body_bytes
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > limit:
        raise BodyTooLarge(limit)
    if declared not in ("", "0") or "transfer-encoding" in request.headers:
        _check_media_type(request)
    chunks: list[bytes] = []
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > limit:
            raise BodyTooLarge(limit)
        chunks.append(chunk)
    return b"".join(chunks)


async def parse_form(raw: bytes, form: type[AnyForm]) -> AnyForm:
    """The form that the bytes hold. Other requests don't wait for a large one."""
    return await run_beside(_parsed, raw, form) if len(raw) > LARGE_BYTES else _parsed(raw, form)


def _parsed(raw: bytes, form: type[AnyForm]) -> AnyForm:
    value: Any = parse_json(raw) if raw else {}
    try:
        return form.model_validate(value)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        raise InvalidFields(field_errors(found, list(form.model_fields))) from None


def check_number(messages: Sequence[Any]) -> None:
    """
    Raises:
        BadInput: there are more of them than one call may bring. It is found out before each is looked at.
    """
    if len(messages) > MAX_MESSAGES:
        raise BadInput("messages", f"must be at most {MAX_MESSAGES} messages, not {len(messages)}")


def parse_json(raw: bytes) -> Any:
    """The value of a JSON text, which can be written again as it was.

    Raises:
        UnparsableJson: it is no JSON, or has a number that JSON can't write.
        BadInput: it is nested too deep.
    """
    try:
        value = loads_in_steps(raw) if len(raw) > LARGE_BYTES else jsonio.loads(raw)
    except jsonio.NestedTooDeeply:
        raise BadInput("", f"is nested deeper than {MAX_DEPTH} levels") from None
    except ValueError as error:
        raise UnparsableJson(f"the body is not JSON: {error}") from None
    _check_depth_and_numbers(value)
    return value


def _check_depth_and_numbers(value: Any) -> None:
    """Level by level, so that depth costs no stack.

    NaN and 1e999 are no JSON that can be written again, but the standard library reads them.
    """
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH + 1):
        if any(type(one) is float and not isfinite(one) for one in level):
            raise UnparsableJson("the body is not JSON: a number is out of range")
        holders: list[Any] = [one for one in level if type(one) in (dict, list)]
        if not holders:
            return
        level = [child for one in holders for child in _children(one)]
    raise BadInput("", f"is nested deeper than {MAX_DEPTH} levels")


def _children(holder: Any) -> Iterable[Any]:
    found: dict[Any, Any] | list[Any] = holder
    return found.values() if isinstance(found, dict) else found


def _check_media_type(request: Request) -> None:
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json" and not (
        media_type.startswith("application/") and media_type.endswith("+json")
    ):
        raise UnsupportedMediaType(f"the body must be application/json, not {media_type or 'of no stated type'}")
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise UnsupportedMediaType("the body must not be compressed")
