"""The calls of a reply, answered all at once."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterable, Mapping
from typing import Any

from turnfold import telemetry
from turnfold.agent.tool import FunctionTool
from turnfold.content import ToolCall, tool_calls
from turnfold.jsonio import is_array
from turnfold.messages import Message

_LOG = telemetry.logger(__name__)


def with_call_ids(messages: list[Message]) -> list[Message]:
    """The messages; calls that came without an id get one: a result is joined to its call by it."""
    for message in messages:
        calls = message.get("tool_calls")
        if is_array(calls) and not all(call.get("id") for call in calls):
            message["tool_calls"] = [
                call if call.get("id") else {**call, "id": f"call_{secrets.token_hex(8)}"} for call in calls
            ]
    return messages


def calls_of(messages: Iterable[Message]) -> list[ToolCall]:
    """The calls that a client answers, in order; those that the provider ran itself are answered already."""
    return [call for message in messages for call in tool_calls(message) if call.id]


def can_answer(calls: Iterable[ToolCall], tools: Mapping[str, FunctionTool], declared: frozenset[str]) -> bool:
    """Whether none of the calls is of a tool that is only declared."""
    return all(call.name in tools or call.name not in declared for call in calls)


async def answers_to(calls: Iterable[ToolCall], tools: Mapping[str, FunctionTool]) -> list[Message]:
    """Results in the order of the calls. A call that fails is answered by what went wrong: the model may mend it."""
    calls = list(calls)
    results = await asyncio.gather(*(_result(call, tools) for call in calls))
    return [Message(role="tool", tool_call_id=call.id, content=text) for call, text in zip(calls, results, strict=True)]


async def _result(call: ToolCall, tools: Mapping[str, FunctionTool]) -> str:
    tool = tools.get(call.name)
    if tool is None:
        known: Any = ", ".join(sorted(tools)) or "none"
        return f"Error: there is no tool {call.name!r}; known: {known}"
    try:
        return await tool.call(call.arguments)
    except Exception as error:  # noqa: BLE001 - whatever a tool raises is an answer to its call
        _LOG.warning(telemetry.TOOL_FAILED, tool=call.name, error=type(error).__name__)
        return f"Error: {type(error).__name__}: {error}"
