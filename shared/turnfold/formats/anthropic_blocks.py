"""Content blocks of the Anthropic API, to and from the parts of chat messages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from turnfold import jsonio
from turnfold.errors import BadInput
from turnfold.formats.call_ids import CallIds, safe_name
from turnfold.formats.fields import as_json, leaves, objects_of, text_of
from turnfold.jsonio import is_array, is_object
from turnfold.messages import part_text

MAX_NAME = 128
THINKING = frozenset({"thinking", "redacted_thinking"})
HOSTED_CALLS = frozenset({"server_tool_use", "mcp_tool_use"})
_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+)?[^,]*?;base64,")
_IMAGES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})


def blocks_of(content: Any, path: str) -> list[Mapping[str, Any]]:
    """The blocks of a content, each with a type."""
    blocks = objects_of(content, path, "blocks")
    for number, block in enumerate(blocks):
        text_of(block, "type", f"{path}[{number}]", empty=False)
    return blocks


def part_from(block: Mapping[str, Any], path: str) -> dict[str, Any]:
    """A block as a chat part; what a provider's tool found as its text; one of an unknown kind as it is."""
    kind = block["type"]
    if kind == "text":
        return {"type": "text", "text": text_of(block, "text", path)}
    if kind == "image":
        return {"type": "image_url", "image_url": _image_from(block.get("source"), path)}
    if kind == "thinking":
        text_of(block, "thinking", path)
    if kind in THINKING or kind in HOSTED_CALLS:
        return dict(block)
    if kind in ("document", "search_result") or kind.endswith("_tool_result"):
        read = {name: one for name, one in block.items() if name not in ("tool_use_id", "citations")}
        found = "\n".join(leaves(read))
        return {"type": kind} | ({"text": found} if found else {})
    return dict(block)


def result_content(block: Mapping[str, Any], path: str) -> str | list[dict[str, Any]]:
    """What a `tool_result` holds, as the content of a chat message."""
    content = block.get("content")
    if content is None or isinstance(content, str):
        return content or ""
    if not is_array(content):
        raise BadInput(f"{path}.content", "must be a string or an array of blocks")
    inner = blocks_of(content, f"{path}.content")
    return [part_from(one, f"{path}.content[{number}]") for number, one in enumerate(inner)]


def tool_call(block: Mapping[str, Any], path: str) -> dict[str, Any]:
    """A `tool_use` block as an entry of a chat message's `tool_calls`."""
    if not is_object(block.get("input")):
        raise BadInput(f"{path}.input", "must be an object with the arguments")
    function = {"name": text_of(block, "name", path), "arguments": as_json(block["input"])}
    return {"id": text_of(block, "id", path, empty=False), "type": "function", "function": function}


def user_blocks(content: Any) -> list[dict[str, Any]]:
    """A chat content as blocks of a user message, or of a tool's result."""
    parts = content if is_array(content) else [content]
    return [block for part in parts for block in _block(part)]


def assistant_blocks(message: Mapping[str, Any], ids: CallIds) -> list[dict[str, Any]]:
    """All that an assistant message says and calls. Thinking without its signature can't be sent back."""
    content = message.get("content")
    parts = content if is_array(content) else [content]
    blocks = [block for part in parts for block in _assistant_block(part)]
    blocks += text_blocks([message.get("refusal")])
    if is_object(audio := message.get("audio")):
        blocks += text_blocks([audio.get("transcript")])
    calls = message.get("tool_calls")
    blocks += [_tool_use(call, ids) for call in calls if is_object(call)] if is_array(calls) else []
    if is_object(legacy := message.get("function_call")):
        blocks.append(_tool_use({"id": None, "function": legacy}, ids))
    return blocks


def text_blocks(texts: Iterable[Any]) -> list[dict[str, Any]]:
    """A block for each text that is not blank: the API refuses blank ones."""
    return [{"type": "text", "text": text} for text in texts if isinstance(text, str) and text.strip()]


def is_blank(block: Mapping[str, Any]) -> bool:
    """Whether the block is a text that the API would refuse."""
    return block.get("type") == "text" and not str(block.get("text") or "").strip()


def _assistant_block(part: Any) -> list[dict[str, Any]]:
    kind = part.get("type") if is_object(part) else None
    if kind == "thinking" and part.get("signature"):
        return [{"type": "thinking", "thinking": part.get("thinking", ""), "signature": part["signature"]}]
    if kind == "redacted_thinking":
        return [{"type": kind, "data": part.get("data", "")}]
    if kind in ("thinking", "reasoning"):
        return []
    return text_blocks([part_text(part)])


def _block(part: Any) -> list[dict[str, Any]]:
    if (text := part_text(part)) is not None:
        return text_blocks([text])
    if not is_object(part):
        return []
    if part.get("type") in ("image", "document") and is_object(part.get("source")):
        return [dict(part)]
    holder = part.get("image_url")
    if holder is not None:
        url = holder.get("url") if is_object(holder) else holder
        return [_media_block(url if isinstance(url, str) else "", "image", "[image]")]
    if is_object(file := part.get("file")):
        url = file.get("file_data") or file.get("url")
        note = f"[file: {file.get('filename') or file.get('file_id') or 'unnamed'}]"
        return [_media_block(url if isinstance(url, str) else "", "document", note)]
    return text_blocks([f"[{part.get('type')}]"])


def _media_block(url: str, kind: str, note: str) -> dict[str, Any]:
    """An image or a document; a note in its place where the API would not take it."""
    if match := _DATA_URL.match(url):
        media_type = match.group(1) or ""
        if media_type in _IMAGES or (kind == "document" and media_type == "application/pdf"):
            data = {"type": "base64", "media_type": media_type, "data": url[match.end() :]}
            return {"type": "image" if media_type in _IMAGES else "document", "source": data}
    elif url.startswith(("https://", "http://")):
        return {"type": kind, "source": {"type": "url", "url": url}}
    return {"type": "text", "text": note}


def _image_from(source: Any, path: str) -> dict[str, Any]:
    if not is_object(source):
        raise BadInput(f"{path}.source", "is missing; an image has one of type base64, url or file")
    if source.get("type") == "base64":
        return {"url": f"data:{source.get('media_type')};base64,{source.get('data')}"}
    return {name: source[name] for name in ("url", "file_id") if name in source}


def _tool_use(call: Mapping[str, Any], ids: CallIds) -> dict[str, Any]:
    body = call.get("function") or call.get("custom")
    fields: Mapping[str, Any] = body if is_object(body) else {}
    name = safe_name(str(fields.get("name") or ""), MAX_NAME) or "unnamed"
    given = fields.get("arguments", {"input": fields["input"]} if "input" in fields else None)
    return {"type": "tool_use", "id": ids.open(call.get("id"), "function"), "name": name, "input": _object(given)}


def _object(arguments: Any) -> Mapping[str, Any]:
    """Arguments as the object that the API wants; text that is none, under a name."""
    value = arguments
    if isinstance(arguments, str):
        if not arguments.strip():
            return {}
        try:
            value = jsonio.loads(arguments)
        except ValueError:
            value = arguments
    if value is None:
        return {}
    return value if is_object(value) else {"arguments": value}
