"""Items of the Responses API as chat messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from turnfold.formats.fields import leaves
from turnfold.formats.responses_items import (
    Part,
    call_id_of,
    hosted_part,
    is_result,
    kind_of,
    part_of,
    reasoning_details,
    result_content,
    tool_call,
)
from turnfold.formats.responses_parts import content_from
from turnfold.formats.source import Source, remember
from turnfold.messages import Message

NAME = "responses"
_JOINS_REASONING = (Part.REASONING, Part.TEXT, Part.CALL, Part.HOSTED)


class _ModelTurn:
    """Items that become one assistant message."""

    def __init__(self, part: Part, kind: str) -> None:
        self.part, self.kind = part, kind
        self.items: list[Mapping[str, Any]] = []
        self.positions: list[int] = []
        self.details: list[dict[str, Any]] = []
        self.contents: list[str | list[dict[str, Any]]] = []
        self.calls: list[dict[str, Any]] = []

    def takes(self, part: Part, kind: str) -> bool:
        """What follows reasoning in the same response belongs to it: the API refuses either without the other.

        Calls that follow each other directly are parallel ones; references that do may be those of one turn; what a
        hosted tool puts out belongs to its call.
        """
        if self.part is Part.REASONING:
            return part in _JOINS_REASONING
        if part is not self.part:
            return False
        return part is Part.CALL or kind == self.kind == "item_reference" or kind.endswith("_output")

    def take(self, position: int, item: Mapping[str, Any], part: Part, kind: str, path: str) -> None:
        self.items.append(item)
        self.positions.append(position)
        if part is Part.REASONING:
            self.details += reasoning_details(item, path)
        elif part is Part.TEXT:
            self.contents.append(content_from(item.get("content"), f"{path}.content"))
        elif part is Part.CALL:
            self.calls.append(tool_call(item, kind, path))
        elif part is Part.HOSTED:
            self.contents.append([hosted_part(item, kind)])
        else:
            text = "\n".join(leaves(item.get("tools")))
            self.contents.append([{"type": kind} | ({"text": text} if text else {})])

    def message(self) -> Message:
        made = Message(role="assistant", content=self._content())
        if self.details:
            made["reasoning_details"] = self.details
        if self.calls:
            made["tool_calls"] = self.calls
        return remember(made, Source(NAME, tuple(self.positions), tuple(self.items)))

    def _content(self) -> str | list[dict[str, Any]] | None:
        if len(self.contents) <= 1:
            return self.contents[0] if self.contents else None
        parts: list[dict[str, Any]] = []
        for one in self.contents:
            parts += [{"type": "text", "text": one}] if isinstance(one, str) else one
        return parts


class Reader:
    """Takes items one by one."""

    def __init__(self, items: list[Mapping[str, Any]], path: str) -> None:
        self._messages: list[Message] = []
        self._turn: _ModelTurn | None = None
        self._aliases: dict[str, str] = {}  # ids of items by which old outputs name their call
        self._known: set[str] = set()
        self._kinds = [kind_of(item, f"{path}[{n}]") for n, item in enumerate(items)]
        self._answered = {
            call_id
            for item, kind in zip(items, self._kinds, strict=True)
            if is_result(item, kind) and isinstance(call_id := item.get("call_id"), str)
        }
        self._items, self._path = items, path

    def read(self) -> list[Message]:
        for position, (item, kind) in enumerate(zip(self._items, self._kinds, strict=True)):
            path = f"{self._path}[{position}]"
            part = part_of(item, kind, path, self._answered)
            if part is Part.SAID:
                self._add(position, item, self._said(item, kind, path))
            elif part is Part.RESULT:
                self._add(position, item, self._result(item, kind, path))
            else:
                self._take(position, item, part, kind, path)
        self._flush()
        return self._messages

    def _take(self, position: int, item: Mapping[str, Any], part: Part, kind: str, path: str) -> None:
        if self._turn is None or not self._turn.takes(part, kind):
            self._flush()
            self._turn = _ModelTurn(part, kind)
        self._turn.take(position, item, part, kind, path)
        if part is Part.CALL:
            call_id = call_id_of(item, kind, path)
            self._known.add(call_id)
            if isinstance(own := item.get("id"), str):
                self._aliases[own] = call_id

    def _said(self, item: Mapping[str, Any], kind: str, path: str) -> Message:
        if kind == "message":
            return Message(role=item["role"], content=content_from(item.get("content"), f"{path}.content"))
        return Message(role="developer", content="\n".join(leaves(item.get("tools"))))

    def _result(self, item: Mapping[str, Any], kind: str, path: str) -> Message:
        call_id = call_id_of(item, kind, path)
        if call_id not in self._known:
            call_id = self._aliases.get(call_id, call_id)
        if call_id not in self._known and self._turn is not None and self._turn.kind == "item_reference":
            self._refer(call_id)
        return Message(role="tool", tool_call_id=call_id, content=result_content(item, kind, path))

    def _refer(self, call_id: str) -> None:
        """An answer to no call that is here, directly behind references: one of them is the call."""
        assert self._turn is not None
        self._known.add(call_id)
        function = {"name": "item_reference", "arguments": ""}
        self._turn.calls.append({"id": call_id, "type": "function", "function": function})

    def _add(self, position: int, item: Mapping[str, Any], message: Message) -> None:
        self._flush()
        self._messages.append(remember(message, Source(NAME, (position,), (item,))))

    def _flush(self) -> None:
        if self._turn is not None:
            self._messages.append(self._turn.message())
            self._turn = None
