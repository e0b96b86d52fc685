"""What providers refuse, as checks: each returns what it finds wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

_LETTERS = re.compile(r"[a-zA-Z0-9_-]+")
_CALLS = ("function_call", "custom_tool_call", "local_shell_call", "computer_call", "shell_call", "apply_patch_call")
_MODEL = (*_CALLS, "reasoning", "item_reference", "mcp_call", "mcp_list_tools", "web_search_call", "file_search_call")


def wrong_in_responses(items: Sequence[Mapping[str, Any]], *, pending: bool = True) -> list[str]:
    """`pending`: calls of the last turn may still wait."""
    return [*_call_faults(items, pending=pending), *_reasoning_faults(items), *_content_faults(items)]


def _call_faults(items: Sequence[Mapping[str, Any]], *, pending: bool) -> Iterator[str]:
    waiting: list[str] = []
    for n, item in enumerate(items):
        kind = str(item.get("type"))
        if kind in _CALLS:
            waiting.append(item["call_id"])
        elif kind.endswith("_output"):
            call_id = item.get("call_id", item.get("id"))
            if call_id in waiting:
                waiting.remove(call_id)
            else:
                yield f"{n}: no tool call found for output {call_id}"
        elif waiting and (kind == "message" or item.get("role")) and item.get("role") != "assistant":
            yield f"{n}: no tool output found for {waiting}"
            waiting.clear()
    if waiting and not pending:
        yield f"no tool output found for {waiting}"


def _reasoning_faults(items: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for n, item in enumerate(items):
        if item.get("type") == "reasoning":
            following: Mapping[str, Any] = items[n + 1] if n + 1 < len(items) else {}
            if following.get("role") != "assistant" and following.get("type") not in _MODEL:
                yield f"{n}: reasoning without its required following item"


def _content_faults(items: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for n, item in enumerate(items):
        if item.get("type") in ("function_call", "custom_tool_call") and not _LETTERS.fullmatch(item["name"]):
            yield f"{n}: name {item['name']!r}"
        if "role" not in item:
            continue
        if item["role"] not in ("user", "assistant", "system", "developer"):
            yield f"{n}: role {item['role']}"
        wanted = (
            ("output_text", "refusal") if item["role"] == "assistant" else ("input_text", "input_image", "input_file")
        )
        if not isinstance(item["content"], str):
            yield from (f"{n}: part {p['type']}" for p in item["content"] if p["type"] not in wanted)
        if set(item) - {"type", "role", "content", "id", "status", "phase"}:
            yield f"{n}: unknown fields of {sorted(item)}"


def wrong_in_anthropic(written: Mapping[str, Any]) -> list[str]:
    messages = [message for message in written["messages"] if message["role"] != "system"]
    faults = [*_order_faults(messages), *_block_faults(messages), *_use_faults(messages)]
    system = written["system"]
    if system is not None and (not system or any(not b["text"].strip() for b in _blocks({"content": system}))):
        faults.append("system: blank")
    return faults


def _order_faults(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    roles = [message["role"] for message in messages]
    if roles and roles[0] != "user":
        yield "first message must use the user role"
    if roles and roles[-1] != "user":
        yield "an assistant message last"
    if any(one == other for one, other in pairwise(roles)):
        yield f"roles don't take turns: {roles}"


def _block_faults(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for n, message in enumerate(messages):
        blocks = _blocks(message)
        if not blocks:
            yield f"{n}: empty content"
        results = [block["type"] == "tool_result" for block in blocks]
        if sorted(results, reverse=True) != results:
            yield f"{n}: text before results"
        for block in blocks:
            if block["type"] == "text" and not block["text"].strip():
                yield f"{n}: text content blocks must contain non-whitespace text"
            if message["role"] == "user" and block["type"] in ("tool_use", "thinking", "redacted_thinking"):
                yield f"{n}: {block['type']} in a user message"
            if message["role"] == "assistant" and block["type"] in ("tool_result", "image", "document"):
                yield f"{n}: {block['type']} in an assistant message"
            if block["type"] == "thinking" and not block.get("signature"):
                yield f"{n}: thinking without signature"
        if blocks and message["role"] == "assistant" and blocks[-1]["type"] in ("thinking", "redacted_thinking"):
            yield f"{n}: the final block can't be thinking"


def _use_faults(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    seen: set[str] = set()
    before: list[str] = []
    for n, message in enumerate(messages):
        blocks = _blocks(message)
        results = sorted(block["tool_use_id"] for block in blocks if block["type"] == "tool_result")
        if results != sorted(before):
            yield f"{n}: calls {before} are followed by results {results}"
        before = [block["id"] for block in blocks if block["type"] == "tool_use"]
        for block in blocks:
            if block["type"] != "tool_use":
                continue
            if block["id"] in seen:
                yield f"{n}: tool_use ids must be unique: {block['id']}"
            seen.add(block["id"])
            if not _LETTERS.fullmatch(block["id"]) or not _LETTERS.fullmatch(block["name"]):
                yield f"{n}: id or name: {block['id']!r} {block['name']!r}"
            if not isinstance(block["input"], dict):
                yield f"{n}: input must be an object"
    if before:
        yield f"tool_use ids were found without results: {before}"


def _blocks(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
