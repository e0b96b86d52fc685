"""What pydantic finds wrong, in the words that turnfold's own errors use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from turnfold_api.errors import FieldError

_MESSAGES = {
    "missing": "is missing",
    "model_type": "must be an object",
    "dict_type": "must be an object",
    "list_type": "must be an array",
    "string_type": "must be a string",
    "string_unicode": "must be valid Unicode",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "bool_type": "must be true or false",
}


def field_errors(found: Sequence[Mapping[str, Any]], known: Sequence[str] = ()) -> list[FieldError]:
    """
    Args:
        found: pydantic's errors.
        known: names of the fields that there are, to be told where another one is given.
    """
    return [FieldError(json_path(one["loc"]), _message(one, known)) for one in found]


def json_path(places: Sequence[str | int]) -> str:
    """The place as the library writes it: `messages[0].role`."""
    path = "".join(f"[{place}]" if isinstance(place, int) else f".{place}" for place in places)
    return path.removeprefix(".")


def _message(one: Mapping[str, Any], known: Sequence[str]) -> str:
    if one["type"] == "extra_forbidden":
        return f"is not a known field; one of {', '.join(known)}" if known else "is not a known field; there are none"
    text = str(one["msg"]).replace("Input should", "must")
    return _MESSAGES.get(one["type"], text[:1].lower() + text[1:])
