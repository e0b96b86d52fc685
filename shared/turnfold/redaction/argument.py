"""An operator's patterns, given in a setting: JSON itself, or a file of it."""

from __future__ import annotations

from pathlib import Path

from turnfold import jsonio
from turnfold.errors import BadInput
from turnfold.jsonio import is_object


def patterns_from_argument(text: str, named_by: str) -> dict[str, str]:
    """Regular expressions by the names of their kinds.

    Raises:
        BadInput: it is neither JSON of that form nor a file of it.
    """
    try:
        value = jsonio.loads(text if text.lstrip().startswith("{") else Path(text).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput(named_by, f"is neither JSON nor a file of it that can be read: {error}") from None
    if not is_object(value) or not all(isinstance(expression, str) for expression in value.values()):
        raise BadInput(named_by, "must be an object of regular expressions by name")
    return dict(value)
