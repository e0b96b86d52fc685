"""OpenAI Responses: input items.

Reading: calls that follow each other directly are one assistant message; so is all that follows reasoning up to the
next item that is not the model's, because the API takes neither without the other.

Writing: what was read comes back item for item. Other messages are rendered: text as message items, calls and results
as items of their own. Left out are reasoning that the provider could not read again (text without the encrypted
original), reasoning with nothing of the model behind it, and assistant messages that say nothing. A call that still
waits for its results stays, as the last group: it is the state before the results are there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from turnfold.errors import BadInput
from turnfold.formats.call_ids import CallIds, safe_name
from turnfold.formats.fields import as_json, objects_of
from turnfold.formats.responses_items import CLIENT_CALLS, reasoning_items
from turnfold.formats.responses_parts import input_parts, output_parts
from turnfold.formats.responses_reading import NAME, Reader
from turnfold.formats.source import source_of
from turnfold.index import MessageIndex
from turnfold.jsonio import is_array, is_object
from turnfold.messages import Message

MAX_NAME = 128


class ResponsesFormat:
    """What `input` of the Responses API takes: an array of items, or an object with it as `input` or `messages`."""

    name = NAME

    def read(self, value: Any, path: str = "messages") -> list[Message]:
        if is_object(value):
            path = next((name for name in ("input", "messages") if name in value), "")
            if not path:
                raise BadInput("input", 'must be an array of items, or an object with them as "input" or "messages"')
            value = value[path]
        return Reader(objects_of(value, path, "items"), path).read()

    def write(self, messages: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
        ids = CallIds()
        projection = MessageIndex(messages).projection()
        return {"messages": _led(item for message in projection for item in _items(message, ids))}


def _items(message: Message, ids: CallIds) -> list[Mapping[str, Any]]:
    source = source_of(message, NAME)
    if message.role in ("tool", "function"):
        call_id, kind = ids.close(message.get("tool_call_id") if message.role == "tool" else None)
        return [_answering(source.parts[0], call_id)] if source else [_result(message, call_id, kind)]
    if source:
        for call in message.get("tool_calls") or ():
            ids.open(call["id"], str(call.get("type")), as_it_is=True)
        return list(source.parts)
    if message.role != "assistant":
        return [{"type": "message", "role": message.role, "content": input_parts(message.get("content"))}]
    said = output_parts(message)
    text = [{"type": "message", "role": "assistant", "content": said}] if said else []
    return [*reasoning_items(message), *text, *_calls(message, ids)]


def _calls(message: Message, ids: CallIds) -> list[dict[str, Any]]:
    calls = message.get("tool_calls")
    items = [_call(call, ids) for call in calls if is_object(call)] if is_array(calls) else []
    if is_object(legacy := message.get("function_call")):
        items.append(_call({"id": None, "function": legacy}, ids))
    return items


def _call(call: Mapping[str, Any], ids: CallIds) -> dict[str, Any]:
    is_custom = is_object(call.get("custom"))
    body = call.get("custom" if is_custom else "function")
    fields: Mapping[str, Any] = body if is_object(body) else {}
    name = safe_name(str(fields.get("name") or ""), MAX_NAME) or "unnamed"
    call_id = ids.open(call.get("id"), "custom" if is_custom else "function")
    if is_custom:
        return {"type": "custom_tool_call", "call_id": call_id, "name": name, "input": as_json(fields.get("input"))}
    arguments = as_json(fields.get("arguments"))
    return {"type": "function_call", "call_id": call_id, "name": name, "arguments": arguments}


def _result(message: Message, call_id: str, kind: str) -> dict[str, Any]:
    item = "custom_tool_call_output" if kind == "custom" else "function_call_output"
    return {"type": item, "call_id": call_id, "output": input_parts(message.get("content"))}


def _answering(item: Mapping[str, Any], call_id: str) -> Mapping[str, Any]:
    """The result as it came; its call may have been given another id, where that was rendered."""
    return {**item, "call_id": call_id} if isinstance(own := item.get("call_id"), str) and own != call_id else item


def _led(items: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Without reasoning that nothing of the model follows: the API refuses it."""
    kept: list[Mapping[str, Any]] = []
    for item in reversed(list(items)):
        if item.get("type") != "reasoning" or (kept and _is_of_the_model(kept[-1])):
            kept.append(item)
    return kept[::-1]


def _is_of_the_model(item: Mapping[str, Any]) -> bool:
    kind = item.get("type")
    if kind in (None, "message"):
        return bool(item.get("role", "assistant") == "assistant")
    return kind in ("reasoning", "item_reference", "mcp_list_tools", *CLIENT_CALLS) or str(kind).endswith("_call")
