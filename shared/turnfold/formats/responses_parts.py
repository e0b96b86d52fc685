"""Content parts of the Responses API, to and from those of chat messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from turnfold.errors import BadInput
from turnfold.formats.fields import objects_of, text_of
from turnfold.jsonio import is_array, is_object
from turnfold.messages import part_text

TEXT_PARTS = frozenset({"input_text", "output_text", "text", "summary_text", "reasoning_text"})
IMAGE_PARTS = frozenset({"input_image", "computer_screenshot"})
FILE_FIELDS = ("file_id", "file_data", "filename")


def content_from(content: Any, path: str) -> str | list[dict[str, Any]]:
    """A content of the API as a chat content."""
    if isinstance(content, str):
        return content
    if not is_array(content):
        raise BadInput(path, "must be a string or an array of parts")
    parts = objects_of(content, path, "parts")
    return [part_from(part, f"{path}[{number}]") for number, part in enumerate(parts)]


def part_from(part: Mapping[str, Any], path: str) -> dict[str, Any]:
    """One part as a chat part; one of an unknown kind as it is."""
    kind = text_of(part, "type", path, empty=False)
    if kind in TEXT_PARTS:
        return {"type": "text", "text": text_of(part, "text", path)}
    if kind == "refusal":
        return {"type": "refusal", "refusal": text_of(part, "refusal", path)}
    if kind in IMAGE_PARTS:
        fields = {"url": part.get("image_url"), "detail": part.get("detail"), "file_id": part.get("file_id")}
        return {"type": "image_url", "image_url": _given(fields)}
    if kind == "input_file":
        fields = {name: part.get(name) for name in FILE_FIELDS} | {"url": part.get("file_url")}
        return {"type": "file", "file": _given(fields)}
    return dict(part)


def input_parts(content: Any) -> str | list[dict[str, Any]]:
    """A chat content as the API takes it from users, systems and tools."""
    if not is_array(content):
        return content if isinstance(content, str) else ""
    return [written for part in content if (written := _input_part(part)) is not None] or ""


def output_parts(message: Mapping[str, Any]) -> str | list[dict[str, Any]]:
    """What an assistant message says, as the API takes it; empty where it says nothing."""
    content = message.get("content")
    parts = content if is_array(content) else [content] if isinstance(content, str) else []
    said = [written for part in parts if (written := _output_part(part)) is not None]
    if is_object(audio := message.get("audio")) and isinstance(heard := audio.get("transcript"), str) and heard:
        said.append(_output_text(heard))
    if isinstance(refusal := message.get("refusal"), str) and refusal:
        said.append({"type": "refusal", "refusal": refusal})
    if any(part["type"] == "refusal" for part in said):
        return said
    return "\n".join(part["text"] for part in said)


def _input_part(part: Any) -> dict[str, Any] | None:
    if (text := part_text(part)) is not None:
        return {"type": "input_text", "text": text}
    if not is_object(part):
        return None
    holder = part.get("image_url")
    if holder is not None:
        fields: Mapping[str, Any] = holder if is_object(holder) else {"url": holder}
        image = {"image_url": fields.get("url"), "file_id": fields.get("file_id")}
        return {"type": "input_image", "detail": fields.get("detail") or "auto"} | _given(image)
    if is_object(file := part.get("file")):
        fields = {name: file.get(name) for name in FILE_FIELDS} | {"file_url": file.get("url")}
        return {"type": "input_file"} | _given(fields)
    return {"type": "input_text", "text": f"[{part.get('type')}]"}


def _output_part(part: Any) -> dict[str, Any] | None:
    """Reasoning is no part of what was said, and can't be sent back as text."""
    text = part_text(part)
    kind = part.get("type") if is_object(part) else "text"
    if not text or kind in ("thinking", "reasoning"):
        return None
    return {"type": "refusal", "refusal": text} if kind == "refusal" else _output_text(text)


def _output_text(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": []}


def _given(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
