"""Reading the fields of a format: each that is wrong is named, with the mend."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from turnfold import jsonio
from turnfold.errors import BadInput
from turnfold.jsonio import is_array, is_object


def objects_of(value: Any, path: str, what: str) -> list[Mapping[str, Any]]:
    """The objects of an array."""
    if not is_array(value):
        raise BadInput(path, f"must be an array of {what}")
    for number, one in enumerate(value):
        if not is_object(one):
            raise BadInput(f"{path}[{number}]", "must be an object")
    return value


def text_of(holder: Mapping[str, Any], name: str, path: str, *, empty: bool = True) -> str:
    """A field that must be text."""
    value = holder.get(name)
    if not isinstance(value, str) or not (value or empty):
        said = "is missing" if value in (None, "") else "is not text"
        raise BadInput(f"{path}.{name}", f"{said}; must be a string")
    return value


def as_json(value: Any) -> str:
    """A value as JSON text; text stays as it is, nothing is empty."""
    if value is None or isinstance(value, str):
        return value or ""
    return jsonio.dumps(value).decode()


def leaves(value: Any) -> Iterator[str]:
    """All text in a value that the model reads; not the base64 of media, not what is encrypted."""
    if isinstance(value, str):
        if value and not value.startswith("data:"):
            yield value
    elif is_array(value):
        for one in value:
            yield from leaves(one)
    elif is_object(value):
        for name, one in value.items():
            is_base64 = name == "data" and value.get("type") != "text"
            if name not in ("type", "media_type") and not is_base64 and not name.startswith("encrypted_"):
                yield from leaves(one)
