"""Messages of the Anthropic API as chat messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from turnfold.errors import BadInput
from turnfold.formats.anthropic_blocks import blocks_of, part_from, result_content, tool_call
from turnfold.formats.fields import text_of
from turnfold.formats.source import Source, remember
from turnfold.jsonio import is_array
from turnfold.messages import Message

NAME = "anthropic"
ROLES = ("user", "assistant", "system")
Blocks = list[tuple[int, Mapping[str, Any]]]


def read_system(system: Any, path: str = "system") -> list[Message]:
    """The system prompt, which stands beside the messages: it has no position among them."""
    if system is None:
        return []
    return [remember(Message(role="system", content=_content(system, path)), Source(NAME, (), (system,)))]


def read_message(position: int, message: Mapping[str, Any], path: str) -> list[Message]:
    """One message; a user's with results and more becomes several."""
    role = message.get("role")
    if role not in ROLES:
        raise BadInput(f"{path}.role", f"{role!r} is not known; one of {', '.join(ROLES)}")
    content = message.get("content")
    if isinstance(content, str):
        return [remember(Message(role=role, content=content), Source(NAME, (position,), (content,), message))]
    if not is_array(content):
        raise BadInput(f"{path}.content", "must be a string or an array of blocks")
    blocks = list(enumerate(blocks_of(content, f"{path}.content")))
    runs = _runs(blocks) if role == "user" else [blocks]
    return [
        remember(
            _message(role, run, f"{path}.content"), Source(NAME, (position,), tuple(block for _, block in run), message)
        )
        for run in runs
    ]


def _content(content: Any, path: str) -> str | list[dict[str, Any]]:
    if isinstance(content, str):
        return content
    if not is_array(content):
        raise BadInput(path, "must be a string or an array of text blocks")
    return [part_from(block, f"{path}[{number}]") for number, block in enumerate(blocks_of(content, path))]


def _runs(blocks: Blocks) -> list[Blocks]:
    """Each result alone, what stands between them together."""
    runs: list[Blocks] = [[]]
    for number, block in blocks:
        if block["type"] == "tool_result":
            runs += [[(number, block)], []]
        else:
            runs[-1].append((number, block))
    return [run for run in runs if run] or [[]]


def _message(role: str, run: Blocks, path: str) -> Message:
    if role == "user" and run and run[0][1]["type"] == "tool_result":
        number, block = run[0]
        inside = f"{path}[{number}]"
        call_id = text_of(block, "tool_use_id", inside, empty=False)
        return Message(role="tool", tool_call_id=call_id, content=result_content(block, inside))
    parts = [part_from(block, f"{path}[{number}]") for number, block in run if block["type"] != "tool_use"]
    calls = [tool_call(block, f"{path}[{number}]") for number, block in run if block["type"] == "tool_use"]
    if calls and role != "assistant":
        raise BadInput(path, f"has a tool_use block, which a message of role {role!r} can't have")
    message = Message(role=role, content=parts or (None if calls else ""))
    if calls:
        message["tool_calls"] = calls
    return message
