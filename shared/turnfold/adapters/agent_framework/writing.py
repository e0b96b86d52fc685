"""Chat messages, and parts of messages, as messages of the Agent Framework."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

from agent_framework import Content, Message

from turnfold.content import tool_calls
from turnfold.messages import as_message

# Marks by which strategies of the framework hide messages.
EXCLUDED, EXCLUDE_REASON = "_excluded", "_exclude_reason"


def shown_message(message: Message, parts: Sequence[int] | None) -> Message:
    """The message, or with some of its contents only; without a mark that hides it, since nothing stands for it."""
    if parts is None and EXCLUDED not in message.additional_properties:
        return message
    shown = copy(message)
    shown.contents = message.contents if parts is None else [message.contents[n] for n in parts]
    shown.additional_properties = {
        name: value for name, value in message.additional_properties.items() if name not in (EXCLUDED, EXCLUDE_REASON)
    }
    return shown


def message_of(message: Mapping[str, Any], *, message_id: str | None = None) -> Message:
    """A chat message as one of the framework."""
    said = as_message(message)
    if said.role == "tool":
        result = Content.from_function_result(str(said["tool_call_id"]), result=said.text)
        return Message("tool", [result], message_id=message_id)
    contents = [Content.from_text(said.text)] if said.text else []
    calls = tool_calls(said)
    contents += [Content.from_function_call(call.id or "", call.name, arguments=call.arguments) for call in calls]
    role = "system" if said.role == "developer" else said.role
    return Message(role, contents, message_id=message_id)
