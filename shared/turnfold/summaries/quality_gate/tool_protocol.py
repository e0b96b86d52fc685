"""Replies in the form of a tool call, or with marks that only templates of models use."""

from __future__ import annotations

import json
import re
from typing import Any

from turnfold.jsonio import is_array, is_object

_MARKS = re.compile(
    r"<\|[\w▁｜| -]{1,40}\|>|<｜[^>]{1,40}｜>|</?s>|\[/?INST\]|<</?SYS>>|</?(start|end)_of_turn>"
    r"|\[(TOOL_CALLS|AVAILABLE_TOOLS|TOOL_RESULTS)\]"
    r"|</?(tool_call|tool_calls|tool_response|function_call|function_calls|function_results|tool_code"
    r"|invoke|antml|parameter)\b[^>]{0,80}>"
    r"|<function(=|_name)[^>]{0,80}>|<think>|</think>|<parameter=|assistant<\||to=functions\.|\bfunctions\.\w+\(",
    re.IGNORECASE,
)
_REACT = re.compile(r"^\s*(Thought:.*\n+\s*)?Action:\s*\S.*\n+\s*Action Input:", re.IGNORECASE | re.MULTILINE)
_QUOTED = re.compile(r"```.*?```|`[^`\n]{1,200}`", re.DOTALL)
_FENCE = re.compile(r"^\s*```[\w-]*\n(.*?)\n?```\s*$", re.DOTALL)
_CALL_FIELDS = ("tool_calls", "function_call", "tool_call", "tool_use", "function")


def speaks_tool_protocol(text: str) -> bool:
    """Marks of a template outside quoted code, or a reply that is a call in JSON."""
    if _MARKS.search(_QUOTED.sub(" ", text)) or _REACT.search(text):
        return True
    fenced = _FENCE.match(text)
    return _is_call(_json(fenced[1] if fenced else text))


def _json(text: str) -> Any:
    text = text.strip()
    if text[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _json_prefix(text)


def _json_prefix(text: str) -> Any:
    """The first value of a text that goes on behind it: some models write a call and then talk."""
    try:
        return json.JSONDecoder().raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None


def _is_call(value: Any) -> bool:
    if is_array(value):
        return bool(value) and all(_is_call(item) for item in value)
    if not is_object(value):
        return False
    if any(field in value for field in _CALL_FIELDS):
        return True
    return any(name in value for name in ("name", "tool", "action")) and any(
        field in value for field in ("arguments", "parameters", "input", "args", "action_input", "tool_input")
    )
