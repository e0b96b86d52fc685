"""Query parameters that several resources take. An empty one counts as left out."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from fastapi import Query
from pydantic import BeforeValidator

from turnfold.formats import FORMATS, Format, format_named

DEFAULT_LIMIT = 100
MAX_LIMIT = 1000

T = TypeVar("T")


def none_if_empty(value: Any) -> Any:
    """For a validator that runs before the type's own."""
    return None if value == "" else value


Limit = Annotated[
    Annotated[int, Query(ge=1, le=MAX_LIMIT)] | None,
    BeforeValidator(none_if_empty),
    Query(description=f"At most so many; {DEFAULT_LIMIT} if not given, {MAX_LIMIT} at most."),
]
Cursor = Annotated[str | None, Query(description="`next` of the page before.", max_length=2000)]
FormatName = Annotated[str | None, Query(description=f"How messages are written: {', '.join(FORMATS)}.")]


def format_or_chat(name: str | None) -> Format:
    """
    Raises:
        BadInput: the format is not offered.
    """
    return format_named(name or "chat")
