"""Anthropic Messages.

Reading: `{"system", "messages"}` or the messages alone. A user message with results becomes a chat message for each
result, and one for what stands between them.

Writing: what was read comes back block for block, in messages that take turns. What the API refuses is left out or
mended:

- Blank text blocks are left out, and thinking without its signature.
- A call that still waits for a result is left out with its whole group: the API takes no call without all its results
  in the next message, and no assistant message last. The ids of such calls are named beside the messages.
- Where the first message would be an assistant's, or the last one, a short user message stands before or behind it.
- System messages go into `system`, wherever they stood: every model takes that. Those that were read from within
  the messages stay there, where the API's rules of placement allow it.
- An id that is used again, or has letters that the API refuses, is changed in call and result alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from turnfold.errors import BadInput
from turnfold.formats.anthropic_blocks import assistant_blocks, is_blank, text_blocks, user_blocks
from turnfold.formats.anthropic_reading import NAME, read_message, read_system
from turnfold.formats.anthropic_turns import Turn, in_order
from turnfold.formats.call_ids import CallIds
from turnfold.formats.fields import objects_of
from turnfold.formats.source import Source, is_made, source_of
from turnfold.groups import MessageGroup
from turnfold.index import MessageIndex
from turnfold.jsonio import is_array, is_object
from turnfold.messages import Message, part_text


class AnthropicFormat:
    """What `messages` of the Messages API takes, with `system` beside it; `system` is None where there is none."""

    name = NAME

    def read(self, value: Any, path: str = "messages") -> list[Message]:
        read: list[Message] = []
        if is_object(value):
            if "messages" not in value:
                raise BadInput("messages", 'is missing; the input is an array, or an object with "messages"')
            read, value, path = read_system(value.get("system")), value["messages"], "messages"
        for position, message in enumerate(objects_of(value, path, "messages")):
            read += read_message(position, message, f"{path}[{position}]")
        return read

    def write(self, messages: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
        ids = CallIds()
        systems: list[Message] = []
        turns: list[Turn] = []
        for group in MessageIndex(messages).included_groups:
            if group.is_system and not _stood_within(group.messages[0]):
                systems += group.messages
            elif not group.open_calls:
                turns += _turns(group, ids)
        ordered, moved = in_order(turns)
        return {"system": _system(systems, moved), "messages": [turn.to_dict() for turn in ordered]}


def _stood_within(message: Message) -> bool:
    source = source_of(message, NAME)
    return source is not None and bool(source.positions)


def _turns(group: MessageGroup, ids: CallIds) -> list[Turn]:
    """A group's messages; the results of a call in one message right behind it."""
    others = [_turn(message, ids) for message in group.messages if message.role not in ("tool", "function")]
    results = [_result(message, ids) for message in group.messages if message.role in ("tool", "function")]
    if not results:
        return others
    return [*others, Turn("user", [block for block, _ in results], results[0][1])]


def _turn(message: Message, ids: CallIds) -> Turn:
    source = source_of(message, NAME)
    if source is None:
        if message.role == "assistant":
            return _with_text(Turn("assistant", assistant_blocks(message, ids), is_made=is_made(message)))
        return _with_text(Turn(message.role, user_blocks(message.get("content"))))
    if isinstance(text := source.parts[0] if source.parts else None, str):
        return Turn(message.role, text_blocks([text]), source.shell, text)
    return Turn(message.role, [_with_id(block, ids) for block in source.parts], source.shell)


def _with_text(turn: Turn) -> Turn:
    """A single text as a string, as people write it."""
    is_text = len(turn.blocks) == 1 and turn.blocks[0].get("type") == "text"
    return replace(turn, text=turn.blocks[0]["text"]) if is_text else turn


def _with_id(block: Mapping[str, Any], ids: CallIds) -> Mapping[str, Any]:
    if block.get("type") != "tool_use":
        return block
    written = ids.open(block["id"], "function")
    return block if written == block["id"] else {**block, "id": written}


def _result(message: Message, ids: CallIds) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """A result's block, and the fields of the message that it stood in."""
    call_id, _ = ids.close(message.get("tool_call_id") if message.role == "tool" else None)
    source = source_of(message, NAME)
    if source is not None:
        block = source.parts[0]
        return (block if block["tool_use_id"] == call_id else {**block, "tool_use_id": call_id}), source.shell
    content = message.get("content")
    written = content if isinstance(content, str) else user_blocks(content)
    return {"type": "tool_result", "tool_use_id": call_id, "content": written or ""}, {}


def _system(systems: list[Message], moved: list[Turn]) -> Any:
    """The system prompt as it was read, where it is all there is; else text, or a block for each."""
    if len(systems) == 1 and not moved:
        source = source_of(systems[0], NAME)
        if source is not None:
            return _original(source)
    blocks = [block for message in systems for block in _system_blocks(message)]
    blocks += [block for turn in moved for block in turn.blocks]
    if len(blocks) == 1 and set(blocks[0]) == {"type", "text"}:
        return blocks[0]["text"]
    return blocks or None


def _original(source: Source) -> Any:
    system = source.parts[0]
    if isinstance(system, str):
        return system if system.strip() else None
    return [block for block in system if not is_blank(block)] or None


def _system_blocks(message: Message) -> list[Any]:
    source = source_of(message, NAME)
    if source is not None:
        original = _original(source)
        return text_blocks([original]) if isinstance(original, str) else original or []
    content = message.get("content")
    return text_blocks(part_text(part) for part in (content if is_array(content) else [content]))
