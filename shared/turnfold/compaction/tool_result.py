"""Replaces old tool calls and their results by one line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from turnfold.compaction.strategy import TriggeredStrategy, at_least, beyond_floor, given_floor
from turnfold.content import ToolCall, tool_calls
from turnfold.groups import LINE_PREFIX, MessageGroup, MessageGroupKind
from turnfold.index import MessageIndex
from turnfold.messages import Message, content_text
from turnfold.triggers import CompactionTrigger, Never, NonSystemExceed

_RESULT_ROLES = frozenset({"tool", "function"})
_SUMMARY = MessageGroupKind.SUMMARY
CUT_MARK = " ...[cut]"  # in ASCII: a text that has no other character stays half as large and twice as fast
Style = Literal["results", "calls"]


class ToolResultCompactionStrategy(TriggeredStrategy):
    """Collapses tool-call groups, oldest first, to a line such as `[Tool results: get_weather: sunny, 18°C]`.

    A group is left where its line would cost more tokens, and while a call of it waits for its result.

    Args:
        trigger, target: when to start, when to stop.
        minimum_preserved: how many of the newest non-system groups are never touched; 2.
        minimum_preserved_groups: another name of `minimum_preserved`.
        keep_last_tool_call_groups: shorthand: collapse all but so many tool-call groups; that is then the floor.
        style: `results`, or `calls` for the names alone: `[Tool calls: get_weather]`.
        max_result_chars, max_chars: where a result, and the line, are cut, with a visible mark.
        formatter: makes the line from the group's messages, in place of `style`.
    """

    name = "tool_result"
    default_minimum_preserved = 2

    def __init__(
        self,
        *,
        keep_last_tool_call_groups: int | None = None,
        style: Style = "results",
        max_result_chars: int = 400,
        max_chars: int = 4096,
        formatter: Callable[[list[Message]], str] | None = None,
        trigger: CompactionTrigger | None = None,
        target: CompactionTrigger | None = None,
        minimum_preserved: int | None = None,
        minimum_preserved_groups: int | None = None,
    ) -> None:
        trigger, target = tool_call_trigger(keep_last_tool_call_groups, trigger, target)
        floor = given_floor(minimum_preserved, minimum_preserved_groups=minimum_preserved_groups)
        super().__init__(trigger=trigger, target=target, minimum_preserved=floor)
        if style not in ("results", "calls"):
            raise ValueError(f"style: must be results or calls, not {style!r}")
        at_least("max_result_chars", max_result_chars, 1)
        at_least("max_chars", max_chars, len(CUT_MARK) + 1)
        self.keep_last_tool_call_groups = keep_last_tool_call_groups
        self.has_floor_of_groups = keep_last_tool_call_groups is None or floor is not None
        self.style, self.max_result_chars, self.max_chars = style, max_result_chars, max_chars
        self.formatter = formatter

    def units(self, index: MessageIndex) -> Iterable[list[MessageGroup]]:
        movable = [g for g in index.included_groups if not g.is_system]
        if self.has_floor_of_groups:
            movable = beyond_floor(movable, self.minimum_preserved)
        calls = [g for g in movable if g.is_tool_call]
        return ([g] for g in beyond_floor(calls, self.keep_last_tool_call_groups or 0) if not g.open_calls)

    def take(self, index: MessageIndex, unit: list[MessageGroup]) -> bool:
        (source,) = unit
        line = self._line(index, source)
        if line.token_count > source.token_count:
            return False
        index.replace([source], line, self.name)
        return True

    def _line(self, index: MessageIndex, source: MessageGroup) -> MessageGroup:
        text = self.formatter(source.messages) if self.formatter else self._text(source.as_taken)
        source_id = source.id
        marks = {"summary_of": [source_id], "collapsed": True}
        message = Message.marked({"role": "assistant", "content": text}, marks)
        line = MessageGroup(LINE_PREFIX + source_id, _SUMMARY, source.turn, source.place)
        line.summary_of, line.messages, line.message_count = (source_id,), [message], 1
        line.token_count, line.byte_count = index.measure(message)
        return line

    def _text(self, messages: Sequence[Mapping[str, Any]]) -> str:
        if self.style == "calls":
            names = [call.name for message in messages for call in tool_calls(message)]
            return "[" + cut(f"Tool calls: {', '.join(names)}", self.max_chars - 2) + "]"
        most = self.max_result_chars
        shown = [f"{n}: {r if len(r) <= most else cut(r, most)}" for n, r in named_results(messages)]
        return f"[{cut('Tool results: ' + '; '.join(shown), self.max_chars - 2)}]"


def named_results(messages: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Name and result of each call, in the order of the calls; a result stands under the call that it answers."""
    calls: list[ToolCall] = []
    results: dict[str | None, list[str]] = {}  # None: of the legacy calls, which have no id
    for message in messages:
        role = message.get("role")
        if role not in _RESULT_ROLES:
            calls += tool_calls(message)
            continue
        call = message.get("tool_call_id") if role == "tool" else None
        text = content_text(message.get("content"))
        if call in results:
            results[call].append(text)
        else:
            results[call] = [text]
    return [(call.name, waiting.pop(0) if (waiting := results.get(call.id)) else "") for call in calls]


def cut(text: str, limit: int) -> str:
    """The text, or its head and a visible mark, together at most `limit` characters."""
    if len(text) <= limit:
        return text
    return text[: max(0, limit - len(CUT_MARK))] + CUT_MARK[-limit:]


def tool_call_trigger(
    keep: int | None, trigger: CompactionTrigger | None, target: CompactionTrigger | None
) -> tuple[CompactionTrigger, CompactionTrigger | None]:
    """Trigger and target of a strategy that keeps the newest `keep` tool-call groups."""
    if keep is not None:
        at_least("keep_last_tool_call_groups", keep, 0)
    if trigger is not None:
        return trigger, target
    if keep is None:
        raise ValueError("trigger: give a trigger, or keep_last_tool_call_groups as a shorthand for one")
    return NonSystemExceed(keep, "tool_call_groups"), target or Never()
