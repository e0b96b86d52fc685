"""Items of the Responses API, by what they are in a conversation."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from turnfold.errors import BadInput
from turnfold.formats.fields import as_json, leaves, objects_of, text_of
from turnfold.formats.responses_parts import content_from
from turnfold.jsonio import is_array, is_object

ROLES = ("user", "assistant", "system", "developer")
# Calls that the client answers, by the field with what they ask for.
CLIENT_CALLS = {
    "function_call": "arguments",
    "custom_tool_call": "input",
    "local_shell_call": "action",
    "shell_call": "action",
    "computer_call": "actions",
    "apply_patch_call": "operation",
    "mcp_approval_request": "arguments",
    "program": "code",
}
SETTINGS = frozenset({"additional_tools", "configuration_update"})
ALONE = frozenset({"item_reference", "compaction", "compaction_trigger"})
ENCRYPTED_FORMAT = "openai-responses-v1"
_ASKED = ("arguments", "action", "queries", "code", "input")
_FOUND = ("results", "outputs", "output", "error", "tools")


class Part(Enum):
    """What an item is in a conversation."""

    SAID = "said by a user, or a system message"
    REASONING = "reasoning of the model"
    TEXT = "said by the model"
    CALL = "a call that the client answers"
    HOSTED = "a call that the provider answered"
    RESULT = "an answer to a call"
    ALONE = "something of its own"


def kind_of(item: Mapping[str, Any], path: str) -> str:
    """The item's type; messages and references may be without one."""
    if item.get("type") is not None:
        return text_of(item, "type", path, empty=False)
    if "role" in item:
        return "message"
    if isinstance(item.get("id"), str):
        return "item_reference"
    raise BadInput(f"{path}.type", "is missing; an item has a type, a message at least a role")


def part_of(item: Mapping[str, Any], kind: str, path: str, answered: set[str]) -> Part:
    """What the item is.

    Args:
        answered: ids of calls that the client answered; decides on kinds that client or provider may run.

    Raises:
        BadInput: the kind is not known.
    """
    if kind == "message":
        if item.get("role") not in ROLES:
            raise BadInput(f"{path}.role", f"{item.get('role')!r} is not known; one of {', '.join(ROLES)}")
        return Part.TEXT if item["role"] == "assistant" else Part.SAID
    if kind == "reasoning":
        return Part.REASONING
    if kind in SETTINGS:
        return Part.SAID
    if kind in ALONE:
        return Part.ALONE
    if kind in CLIENT_CALLS or (kind.endswith("_call") and str(item.get("call_id")) in answered):
        return Part.CALL
    if is_result(item, kind):
        return Part.RESULT
    if kind == "mcp_list_tools" or kind.endswith(("_call", "_output")):
        return Part.HOSTED
    raise BadInput(f"{path}.type", f"{kind!r} is no item of the Responses API")


def is_result(item: Mapping[str, Any], kind: str) -> bool:
    """Whether the item answers a call; the search of tools that the provider ran has no id to answer to."""
    return kind == "mcp_approval_response" or (
        kind.endswith("_output") and not (kind == "tool_search_output" and item.get("call_id") is None)
    )


def call_id_of(item: Mapping[str, Any], kind: str, path: str) -> str:
    """The id that joins a call and its result."""
    if kind == "mcp_approval_request":
        return text_of(item, "id", path, empty=False)
    if kind == "mcp_approval_response":
        return text_of(item, "approval_request_id", path, empty=False)
    if kind == "local_shell_call_output" and "call_id" not in item:
        return text_of(item, "id", path, empty=False)
    return text_of(item, "call_id", path, empty=False)


def tool_call(item: Mapping[str, Any], kind: str, path: str) -> dict[str, Any]:
    """A call as an entry of a chat message's `tool_calls`."""
    call_id = call_id_of(item, kind, path)
    if kind == "custom_tool_call":
        custom = {"name": text_of(item, "name", path), "input": text_of(item, "input", path)}
        return {"id": call_id, "type": "custom", "custom": custom}
    if kind == "function_call":
        function = {"name": text_of(item, "name", path), "arguments": text_of(item, "arguments", path)}
        return {"id": call_id, "type": "function", "function": function}
    asked = item.get(CLIENT_CALLS.get(kind, "arguments"), item.get("action"))
    name = item.get("name") or kind.removesuffix("_call")
    return {"id": call_id, "type": "function", "function": {"name": str(name), "arguments": as_json(asked)}}


def result_content(item: Mapping[str, Any], kind: str, path: str) -> str | list[dict[str, Any]]:
    """What the client answered, as the content of a chat message."""
    output = item.get("output")
    if kind in ("function_call_output", "custom_tool_call_output"):
        if output is None:
            raise BadInput(f"{path}.output", "is missing; must be a string or an array of parts")
        return content_from(output, f"{path}.output")
    if kind == "computer_call_output":
        return content_from([output] if output is not None else None, f"{path}.output")
    if isinstance(output, str):
        return output
    if kind == "mcp_approval_response":
        return "\n".join(["approved" if item.get("approve") else "refused", *leaves(item.get("reason"))])
    return "\n".join(leaves([output, item.get("result"), item.get("tools")]))


def hosted_part(item: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """A call that the provider answered, as a content part: what was asked, and the text that was found."""
    asked = next((item[name] for name in _ASKED if item.get(name) is not None), None)
    part = {"type": kind, "name": str(item.get("name") or kind.removesuffix("_call")), "arguments": as_json(asked)}
    found = "\n".join(leaves([item.get(name) for name in _FOUND]))
    return part | {"text": found} if found else part


def reasoning_details(item: Mapping[str, Any], path: str) -> list[dict[str, Any]]:
    """Reasoning as entries of `reasoning_details`; never empty, so that the message is seen to be reasoning."""
    made: list[dict[str, Any]] = []
    for field, kind, name in (("summary", "summary", "summary"), ("content", "text", "text")):
        if item.get(field) is not None:
            parts = objects_of(item[field], f"{path}.{field}", "parts")
            made += [
                {"type": f"reasoning.{kind}", name: text_of(part, "text", f"{path}.{field}[{number}]")}
                for number, part in enumerate(parts)
            ]
    if item.get("encrypted_content") or not made:
        made.append({"type": "reasoning.encrypted", "data": as_json(item.get("encrypted_content"))})
    return [one | {"id": item.get("id"), "format": ENCRYPTED_FORMAT} for one in made]


def reasoning_items(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Reasoning items of a chat message's `reasoning_details`: those that the provider can read again."""
    details = message.get("reasoning_details")
    by_id: dict[str, dict[str, Any]] = {}
    for one in details if is_array(details) else ():
        if not is_object(one) or one.get("format") != ENCRYPTED_FORMAT or not isinstance(one.get("id"), str):
            continue
        item = by_id.setdefault(one["id"], {"type": "reasoning", "id": one["id"], "summary": []})
        if isinstance(text := one.get("summary"), str):
            item["summary"].append({"type": "summary_text", "text": text})
        if one.get("data"):
            item["encrypted_content"] = one["data"]
    return [item for item in by_id.values() if "encrypted_content" in item]
