"""Messages of the Agent Framework as chat messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agent_framework import Content, Message

from turnfold.adapters.following.as_text import as_text, tool_call
from turnfold.adapters.following.lines import Line

_ROLES = ("system", "user", "assistant")


def lines_of(messages: Sequence[Message]) -> list[Line]:
    """The messages as chat messages; each result of a call is one of its own."""
    return [line for at, message in enumerate(messages) for line in _lines(at, message)]


def _lines(at: int, message: Message) -> list[Line]:
    numbers = range(len(message.contents))
    results = [n for n in numbers if message.contents[n].type == "function_result"]
    rest = tuple(n for n in numbers if n not in results)
    lines = [Line(_result(message.contents[n]), at, (n,)) for n in results]
    if not lines:
        return [Line(_said(message, rest), at, rest)]
    if message.role == "assistant":  # what it says stands before what came of it
        return [Line(_said(message, rest), at, rest), *lines] if rest else lines
    lines[0] = Line(lines[0].message, at, (*rest, *lines[0].parts))
    return lines


def _said(message: Message, numbers: Sequence[int]) -> dict[str, Any]:
    contents = [message.contents[n] for n in numbers]
    said: dict[str, Any] = {
        "role": message.role if message.role in _ROLES else "assistant",
        "content": _content([one for one in contents if one.type not in ("function_call", "text_reasoning", "usage")]),
    }
    if reasoning := "\n".join(one.text or "" for one in contents if one.type == "text_reasoning"):
        said["reasoning_content"] = reasoning
    if calls := [one for one in contents if one.type == "function_call"]:
        said["tool_calls"] = [_call(one, number) for number, one in enumerate(calls)]
    return said


def _content(contents: Sequence[Content]) -> Any:
    if all(one.type == "text" for one in contents):
        return "\n".join(one.text or "" for one in contents)
    return [_part(one) for one in contents]


def _part(content: Content) -> dict[str, Any]:
    if content.type == "text":
        return {"type": "text", "text": content.text or ""}
    if content.type in ("data", "uri"):
        if (content.media_type or "").startswith("image/"):
            return {"type": "image_url", "image_url": {"url": content.uri or ""}}
        return {"type": "file", "file": {"url": content.uri or ""}}
    return {"type": content.type, "text": as_text(content.to_dict(exclude_none=True))}


def _call(content: Content, number: int) -> dict[str, Any]:
    return tool_call(content.call_id or f"call_{number}", content.name or "unnamed", content.arguments or "{}")


def _result(content: Content) -> dict[str, Any]:
    said = content.result if content.result is not None else content.exception
    return {"role": "tool", "tool_call_id": content.call_id or "call_0", "content": as_text(said or "")}
