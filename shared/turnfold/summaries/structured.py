"""Summaries by a JSON schema, for models that are known to keep to one."""

from __future__ import annotations

from typing import Any

from turnfold import jsonio
from turnfold.jsonio import is_array, is_object

SECTIONS = {
    "facts": "Facts",
    "decisions": "Decisions",
    "preferences": "Preferences",
    "tool_results": "Tool results",
    "open_tasks": "Open",
}
_LINES: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
RESPONSE_FORMAT: dict[str, Any] = {
    "type": "json_schema",
    "json_schema": {
        "name": "summary",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {"overview": {"type": "string"}, **dict.fromkeys(SECTIONS, _LINES)},
            "required": ["overview", *SECTIONS],
            "additionalProperties": False,
        },
    },
}


def as_prose(text: str) -> str:
    """A reply by the schema as a text with sections; any other reply as it is: the quality gate judges it."""
    try:
        value = jsonio.loads(text)
    except ValueError:
        return text
    if not is_object(value) or not ("overview" in value or any(name in value for name in SECTIONS)):
        return text
    overview = value.get("overview")
    parts = [overview.strip()] if isinstance(overview, str) else []
    for name, heading in SECTIONS.items():
        lines = value.get(name)
        told = (
            [f"- {line.strip()}" for line in lines if isinstance(line, str) and line.strip()] if is_array(lines) else []
        )
        if told:
            parts.append("\n".join((f"{heading}:", *told)))
    return "\n".join(part for part in parts if part)
