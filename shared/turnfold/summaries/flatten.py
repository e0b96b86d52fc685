"""JSON as rows of fields, so that a result is quoted without its braces: `flights: number=HAT136, seats=4`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

MAX_DEPTH = 100  # deeper is no record that anybody reads


@dataclass(frozen=True, slots=True)
class Row:
    """The plain fields of one object, or the plain items of one list.

    Attributes:
        path: names of the fields that lead there; none for the outermost.
        fields: names and values; the name is empty for an item of a list.
    """

    path: tuple[str, ...]
    fields: tuple[tuple[str, str], ...]

    @property
    def name(self) -> str:
        """The last name of the path: what the items of a list are called."""
        return self.path[-1] if self.path else ""


def parsed(text: str) -> Any:
    """The object or list that the text is in JSON, None where it is neither. Numbers stay as they are written."""
    if text[:64].lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    except (ValueError, RecursionError):
        return None


def rows_of(value: Any, path: tuple[str, ...] = (), *, depth: int = 0) -> Iterator[Row]:
    """The rows of a parsed value, outer ones first."""
    if depth > MAX_DEPTH:
        return
    items: list[tuple[str, Any]] = [("", item) for item in value]
    if isinstance(value, dict):
        items = list(cast("dict[str, Any]", value).items())
    if plain := tuple((name, _as_text(item)) for name, item in items if not isinstance(item, (dict, list))):
        yield Row(path, plain)
    for name, item in items:
        if isinstance(item, (dict, list)):
            yield from rows_of(item, (*path, name) if name else path, depth=depth + 1)


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return {True: "true", False: "false", None: ""}.get(value, "")
