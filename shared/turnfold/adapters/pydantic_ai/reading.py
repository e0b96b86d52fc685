"""Messages of pydantic-ai as chat messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic_ai.messages import BinaryContent, ModelMessage, ModelResponse, ToolCallPart

from turnfold.adapters.following.as_text import as_text, tool_call
from turnfold.adapters.following.lines import Line

# What they say is the part's own field; anything else is rendered whole.
_TEXTS = ("text", "compaction")


def lines_of(messages: Sequence[ModelMessage]) -> list[Line]:
    """The messages as chat messages: a response is one, each part of a request is one."""
    return [line for at, message in enumerate(messages) for line in _lines(at, message)]


def input_tokens_of(messages: Sequence[ModelMessage], lines: Sequence[Line]) -> dict[int, int]:
    """What providers reported for the calls that responses answer, by the places of their lines."""
    responses = ((place, messages[line.at]) for place, line in enumerate(lines))
    return {place: one.usage.input_tokens for place, one in responses if isinstance(one, ModelResponse)}


def _lines(at: int, message: ModelMessage) -> list[Line]:
    if isinstance(message, ModelResponse):
        return [Line(_said(message), at, tuple(range(len(message.parts))))]
    lines = [Line(_asked(part), at, (n,)) for n, part in enumerate(message.parts)]
    return lines or [Line({"role": "user", "content": ""}, at, ())]


def _asked(part: Any) -> dict[str, Any]:
    """A part of a request. What is neither prompt nor result is kept like an instruction: agents read it back."""
    kind: str = part.part_kind
    if kind == "user-prompt":
        return {"role": "user", "content": _user_content(part.content)}
    if kind.endswith("-return"):
        return {"role": "tool", "tool_call_id": part.tool_call_id, "content": part.model_response_str()}
    if kind == "retry-prompt" and part.tool_name is not None:
        return {"role": "tool", "tool_call_id": part.tool_call_id, "content": part.model_response()}
    if kind in ("retry-prompt", "retry-feedback"):
        return {"role": "user", "content": part.model_response()}
    # A prompt that is worked out anew each run stays the same message.
    told = getattr(part, "dynamic_ref", None) or getattr(part, "content", None) or kind
    return {"role": "system", "content": as_text(told)}


def _user_content(content: Any) -> Any:
    if isinstance(content, str):
        return content
    return [_user_part(part) for part in content]


def _user_part(part: Any) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    kind = str(getattr(part, "kind", "data"))
    if isinstance(part, BinaryContent):
        name = "image_url" if part.is_image else "file"
        return {"type": name, name: {"url": part.data_uri}}
    if kind == "image-url":
        return {"type": "image_url", "image_url": {"url": part.url}}
    if isinstance(address := getattr(part, "url", None), str):
        return {"type": "file", "file": {"url": address}}
    return {"type": kind, "text": as_text(getattr(part, "content", ""))}


def _said(message: ModelResponse) -> dict[str, Any]:
    said: dict[str, Any] = {"role": "assistant", "content": _response_content(message.parts)}
    if reasoning := "\n".join(part.content for part in message.parts if part.part_kind == "thinking" and part.content):
        said["reasoning_content"] = reasoning
    if calls := [part for part in message.parts if isinstance(part, ToolCallPart)]:
        said["tool_calls"] = [tool_call(part.tool_call_id, part.tool_name, part.args or "{}") for part in calls]
    return said


def _response_content(parts: Sequence[Any]) -> Any:
    told = [part for part in parts if not isinstance(part, ToolCallPart) and part.part_kind != "thinking"]
    if all(part.part_kind == "text" for part in told):
        return "".join(part.content for part in told)
    return [_response_part(part) for part in told]


def _response_part(part: Any) -> dict[str, Any]:
    kind: str = part.part_kind
    if kind in _TEXTS:
        return {"type": "text", "text": part.content or ""}
    if kind == "file":
        return {"type": "file", "file": {"url": part.content.data_uri}}
    if kind.startswith("builtin-tool") and hasattr(part, "args"):
        return {"type": kind, "text": f"{part.tool_name} {as_text(part.args or '{}')}"}
    return {"type": kind, "text": as_text(getattr(part, "content", None) or "")}
