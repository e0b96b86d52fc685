"""The rules of grouping, told once more as plainly as can be: to compare with the index, which is fast instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from turnfold.jsonio import is_array

LEGACY = "the one legacy call"


@dataclass(slots=True, eq=False)
class Group:
    """Messages by their positions; `waiting` are the ids of calls without a result."""

    kind: str
    positions: list[int]
    waiting: list[str] = field(default_factory=list[str])
    is_orphan: bool = False
    is_reasoning: bool = False

    @property
    def place(self) -> int:
        return self.positions[0]


def grouped(messages: Sequence[Mapping[str, Any]]) -> list[Group]:
    """The groups in the order of their first messages."""
    groups: list[Group] = []
    for position, message in enumerate(messages):
        kind = _kind(message)
        if kind == "result":
            _take_result(groups, position, message, messages)
        elif kind == "call":
            run = _reasoning_before(groups, position)
            waiting = [call["id"] for call in message.get("tool_calls") or ()]
            waiting += [LEGACY] if message.get("function_call") else []
            _merge(groups, Group("tool_call", [position], waiting), run)
        else:
            groups.append(Group(kind, [position], is_reasoning=kind == "assistant_text" and _only_thinks(message)))
        groups.sort(key=lambda group: group.place)
    return groups


def sent(groups: Sequence[Group]) -> list[Group]:
    """The groups that providers accept: no orphan, and a call that waits only as the last group."""
    return [group for group in groups if not group.is_orphan and (not group.waiting or group is groups[-1])]


def _take_result(
    groups: list[Group], position: int, message: Mapping[str, Any], messages: Sequence[Mapping[str, Any]]
) -> None:
    call = message["tool_call_id"] if message["role"] == "tool" else LEGACY
    open_groups = [group for group in groups for waiting in group.waiting if waiting == call]
    if len(open_groups) != 1 or call == LEGACY:  # ids don't decide: adjacency does
        before = _adjacent(groups, position)
        open_groups = [group for group in open_groups if group is before]
    if open_groups:
        group = open_groups[0]
        group.waiting.remove(call)
        between = [one for one in groups if one.is_reasoning and one.place > group.place]
        groups.remove(group)
        _merge(groups, Group("tool_call", [*group.positions, position], group.waiting), between)
        return
    before = _holder(groups, position - 1)
    if before is not None and before.is_orphan:
        before.positions.append(position)
    else:
        groups.append(Group("tool_call", [position], is_orphan=True))


def _merge(groups: list[Group], group: Group, reasoning: list[Group]) -> None:
    """Adds a group, with reasoning that stood alone."""
    group.positions = sorted([*group.positions, *(p for one in reasoning for p in one.positions)])
    groups[:] = [one for one in groups if one not in reasoning]
    groups.append(group)


def _reasoning_before(groups: list[Group], position: int) -> list[Group]:
    """Reasoning that stands alone, directly before the position."""
    run: list[Group] = []
    while (group := _holder(groups, position - 1 - len(run))) is not None and group.is_reasoning:
        run.append(group)
    return run[::-1]


def _adjacent(groups: list[Group], position: int) -> Group | None:
    """The group that a result is adjacent to: reasoning between a call and its result does not come between them."""
    run = _reasoning_before(groups, position)
    if not run:
        return _holder(groups, position - 1)
    before = [group for group in groups if group.place < run[0].place]
    return before[-1] if before else None


def _holder(groups: list[Group], position: int) -> Group | None:
    return next((group for group in groups if position in group.positions), None)


def _kind(message: Mapping[str, Any]) -> str:
    role = message["role"]
    if role in ("system", "developer"):
        return "system"
    if role == "user":
        return "user"
    if role in ("tool", "function"):
        return "result"
    return "call" if message.get("tool_calls") or message.get("function_call") or _hosted(message) else "assistant_text"


def _parts(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    content = message.get("content")
    return content if is_array(content) else []


def _hosted(message: Mapping[str, Any]) -> bool:
    """Tools that the provider ran."""
    return any(p["type"].endswith("_call") or p["type"] in ("server_tool_use", "mcp_tool_use") for p in _parts(message))


def _only_thinks(message: Mapping[str, Any]) -> bool:
    """No text, refusal or call, but reasoning."""
    content = message.get("content")
    said = content if isinstance(content, str) else ""
    shown = [part for part in _parts(message) if part.get("text", part.get("refusal", part.get("thinking"))) != ""]
    thoughts = [part for part in shown if part["type"] in ("thinking", "redacted_thinking", "reasoning")]
    if said or message.get("refusal") or message.get("audio") or len(thoughts) < len(shown):
        return False
    return bool(thoughts) or any(message.get(name) for name in ("reasoning_content", "reasoning", "reasoning_details"))
