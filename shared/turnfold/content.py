"""What a message holds, read field by field: its texts, its calls, the call that it answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from turnfold.jsonio import is_array, is_object
from turnfold.messages import content_text, part_text

# Parts by which some providers report a tool that they ran themselves; the result is in the same message.
HOSTED_CALL_PARTS = frozenset({"server_tool_use", "mcp_tool_use"})
REASONING_PARTS = frozenset({"thinking", "redacted_thinking", "reasoning"})
REASONING_FIELDS = ("reasoning_content", "reasoning")
_REASONING_KEYS = {*REASONING_FIELDS, "reasoning_details"}


@dataclass(slots=True)  # not frozen: that takes four times as long to make
class ToolCall:
    """A call in an assistant message. `id` is None for the legacy `function_call` and for tools the provider ran."""

    id: str | None
    name: str
    arguments: str


def text_fields(message: Mapping[str, Any]) -> list[str]:
    """All prompt text of a message: reasoning, content, refusal, names and arguments of calls.

    Encrypted reasoning, images, sound and files are not text. The parts of a content are one field.
    """
    content = message.get("content")
    fields: list[str]
    if len(message) == 3 and "tool_calls" in message and type(content) is str:
        fields = [content] if content else []  # nearly all calls
        for call in message["tool_calls"] or ():
            fields += _name_and_arguments(call)
        return fields
    fields = list(_reasoning_texts(message)) if _REASONING_KEYS & message.keys() else []
    if text := content_text(content):
        fields.append(text)
    if isinstance(refusal := message.get("refusal"), str):
        fields.append(refusal)
    if is_object(audio := message.get("audio")) and isinstance(said := audio.get("transcript"), str):
        fields.append(said)
    if message.get("role") == "function" and isinstance(name := message.get("name"), str):
        fields.append(name)
    if has_calls(message):
        for call in tool_calls(message):
            fields += (call.name, call.arguments)
    return fields


def tool_calls(message: Mapping[str, Any]) -> list[ToolCall]:
    """The calls of a message in order: `tool_calls`, the legacy `function_call`, and hosted-tool parts."""
    calls = [
        ToolCall(call.get("id"), *_name_and_arguments(call))
        for call in message.get("tool_calls") or ()
        if is_object(call)
    ]
    if (legacy := message.get("function_call")) is not None and is_object(legacy):
        calls.append(ToolCall(None, str(legacy.get("name") or ""), _as_text(legacy.get("arguments"))))
    if type(content := message.get("content")) is not str and is_array(content):
        calls += [_hosted_call(part) for part in content if _is_hosted_call(part)]
    return calls


def has_calls(message: Mapping[str, Any]) -> bool:
    """Whether the message starts a tool-call group."""
    if message.get("tool_calls") or message.get("function_call"):
        return True
    content = message.get("content")
    return is_array(content) and any(_is_hosted_call(part) for part in content)


def is_reasoning_only(message: Mapping[str, Any]) -> bool:
    """An assistant message with reasoning, and neither text, refusal nor call."""
    content = message.get("content")
    if isinstance(content, str) and content:  # nearly all: asked first
        return False
    if message.get("role") != "assistant" or message.get("refusal") or has_calls(message):
        return False
    parts = [part for part in content if part_text(part) != ""] if is_array(content) else []
    if message.get("audio") or any(not _is_reasoning_part(part) for part in parts):
        return False
    return bool(parts) or any(message.get(field) for field in (*REASONING_FIELDS, "reasoning_details"))


def media_urls(message: Mapping[str, Any]) -> list[str]:
    """The addresses of images and files in the content, `data:` addresses included."""
    content = message.get("content")
    if not is_array(content):
        return []
    return [url for part in content if is_object(part) and (url := _part_url(part))]


def byte_count(message: Mapping[str, Any], fields: list[str]) -> int:
    """UTF-8 bytes of everything that bears text: `fields`, and the addresses of media."""
    total = 0
    for text in _separate_fields(message, fields) if type(message.get("content")) is list else fields:
        total += utf8_length(text)
    return total


def utf8_length(text: str) -> int:
    """Bytes of the text in UTF-8; half a character counts as three."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _separate_fields(message: Mapping[str, Any], fields: list[str]) -> Iterator[str]:
    """The fields with a content of parts taken apart: the line breaks that join parts are not text of the message."""
    content = message.get("content")
    joined = content_text(content) if is_array(content) else None
    for field in fields:
        if joined and field == joined and is_array(content):
            yield from (text for part in content if (text := part_text(part)) is not None)
            joined = None
        else:
            yield field
    yield from media_urls(message)


def _reasoning_texts(message: Mapping[str, Any]) -> Iterator[str]:
    for field in REASONING_FIELDS:
        if isinstance(text := message.get(field), str) and text:
            yield text
    details = message.get("reasoning_details")
    for detail in details if is_array(details) else ():
        if is_object(detail):
            yield from (text for name in ("text", "summary") if isinstance(text := detail.get(name), str))


def _name_and_arguments(call: Any) -> tuple[str, str]:
    if not is_object(call):
        return "", ""
    body = call.get("function") or call.get("custom")
    if not is_object(body):
        return "", ""
    name, arguments = body.get("name"), body.get("arguments")
    if type(name) is str and type(arguments) is str:  # nearly all
        return name, arguments
    return str(name or ""), _as_text(body.get("arguments", body.get("input")))


def _hosted_call(part: Mapping[str, Any]) -> ToolCall:
    name = str(part.get("name") or part.get("type"))
    return ToolCall(None, name, _as_text(part.get("arguments", part.get("input"))))


def _as_text(value: Any) -> str:
    """Arguments are text in the format; some servers send the object itself."""
    if value is None or isinstance(value, str):
        return value or ""
    import json  # only for those servers

    return json.dumps(value, ensure_ascii=False)


def _is_hosted_call(part: Any) -> bool:
    kind = part.get("type") if is_object(part) else None
    return isinstance(kind, str) and (kind in HOSTED_CALL_PARTS or kind.endswith("_call"))


def _is_reasoning_part(part: Any) -> bool:
    return is_object(part) and str(part.get("type")) in REASONING_PARTS


def _part_url(part: Mapping[str, Any]) -> str | None:
    holder = part.get("image_url") or part.get("file") or part.get("input_audio")
    url = holder.get("url") if is_object(holder) else holder
    return url if isinstance(url, str) else None
