"""Messages of LangChain as chat messages, one each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, ChatMessage, FunctionMessage, ToolMessage

from turnfold.adapters.following.as_text import tool_call

_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "function"}
_KNOWN_ROLES = frozenset({"user", "assistant", "system", "developer"})
# Calls and reasoning as blocks: the calls stand in `tool_calls` too, blocks of tools that providers ran do not.
_CALL_BLOCKS = frozenset({"tool_use", "tool_call", "function_call", "input_json_delta", "tool_call_chunk"})


def chat_message(message: BaseMessage | AnyMessage) -> dict[str, Any]:
    """The message as a chat message. What only the framework needs (ids, usage, artifacts) stays with the framework."""
    said: dict[str, Any] = {"role": _role(message), "content": _content(message.content)}
    if isinstance(message, ToolMessage):
        said["tool_call_id"] = message.tool_call_id or "call_0"
    if isinstance(message, FunctionMessage):
        said["name"] = message.name
    if isinstance(message, AIMessage):
        if calls := [*message.tool_calls, *message.invalid_tool_calls]:
            said["tool_calls"] = [
                tool_call(call["id"] or f"call_{n}", call["name"] or "unnamed", call["args"] or "{}")
                for n, call in enumerate(calls)
            ]
        if isinstance(reasoning := message.additional_kwargs.get("reasoning_content"), str):
            said["reasoning_content"] = reasoning
    return said


def input_tokens_of(messages: Iterable[BaseMessage | AnyMessage]) -> dict[int, int]:
    """What providers reported for the calls that messages answer, by the places of the messages."""
    return {
        place: message.usage_metadata["input_tokens"]
        for place, message in enumerate(messages)
        if isinstance(message, AIMessage) and message.usage_metadata
    }


def _role(message: BaseMessage | AnyMessage) -> str:
    if isinstance(message, ChatMessage):
        return message.role if message.role in _KNOWN_ROLES else "user"
    if message.additional_kwargs.get("__openai_role__") == "developer":
        return "developer"
    return _ROLES.get(message.type.removesuffix("MessageChunk").lower(), "user")


def _content(content: str | list[str | dict[Any, Any]]) -> Any:
    if isinstance(content, str):
        return content
    parts = [part if isinstance(part, dict) else {"type": "text", "text": part} for part in content]
    return [_part(part) for part in parts if part.get("type") not in _CALL_BLOCKS]


def _part(part: dict[Any, Any]) -> dict[str, Any]:
    kind = part.get("type")
    if not isinstance(kind, str):
        return {"type": "data", "text": str(part.get("text", ""))}
    if kind == "reasoning":
        return {"type": "thinking", "thinking": str(part.get("reasoning", ""))}
    if kind == "image" and "source_type" not in part and (address := part.get("url") or part.get("base64")):
        return {"type": "image_url", "image_url": {"url": address}}
    return dict(part)
