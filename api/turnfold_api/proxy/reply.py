"""The reply of a stream, put together from its chunks as they pass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from turnfold import jsonio
from turnfold.jsonio import is_array, is_object

PARTIAL = "turnfold_partial"
_TEXTS = ("content", "refusal", "reasoning_content", "reasoning")


class StreamedReply:
    """Fed with the bytes of a stream of server-sent events."""

    def __init__(self) -> None:
        self.usage: Mapping[str, Any] | None = None
        self.is_finished = False
        self._texts: dict[str, list[str]] = {}
        self._calls: dict[int, dict[str, Any]] = {}
        self._rest = b""

    def feed(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            if line.startswith(b"data:"):
                self._take(line[5:].strip())

    def message(self) -> dict[str, Any] | None:
        """What was said so far; None: nothing that can be kept.

        Of a stream that was cut, calls that are not complete are left out, and the message says that it is partial.
        """
        message: dict[str, Any] = {"role": "assistant", "content": None}
        message |= {name: "".join(parts) for name, parts in self._texts.items()}
        calls = [self._calls[index] for index in sorted(self._calls)]
        if not self.is_finished:
            calls = [call for call in calls if _is_complete(call)]
            message[PARTIAL] = True
        if calls:
            message["tool_calls"] = calls
        return message if message["content"] or calls or message.get("refusal") else None

    def _take(self, data: bytes) -> None:
        if data == b"[DONE]":
            return
        try:
            chunk = jsonio.loads(data)
        except ValueError:
            return  # passed on as it came; there is nothing in it to keep
        if not is_object(chunk):
            return
        if is_object(usage := chunk.get("usage")):
            self.usage = usage
        choices = chunk.get("choices")
        for choice in choices if is_array(choices) else ():
            if is_object(choice) and choice.get("index", 0) == 0:
                self._add(delta if is_object(delta := choice.get("delta")) else {})
                self.is_finished = self.is_finished or bool(choice.get("finish_reason"))

    def _add(self, delta: Mapping[str, Any]) -> None:
        for name in _TEXTS:
            if isinstance(text := delta.get(name), str):
                self._texts.setdefault(name, []).append(text)
        parts = delta.get("tool_calls")
        for part in parts if is_array(parts) else ():
            if is_object(part):
                self._add_to_call(part)

    def _add_to_call(self, part: Mapping[str, Any]) -> None:
        empty = {"id": "", "type": "function", "function": {"name": "", "arguments": ""}}
        call = self._calls.setdefault(part.get("index", 0), empty)
        call["id"] = part.get("id") or call["id"]
        if is_object(function := part.get("function")):
            call["function"]["name"] += function.get("name") or ""
            call["function"]["arguments"] += function.get("arguments") or ""


def _is_complete(call: dict[str, Any]) -> bool:
    try:
        jsonio.loads(call["function"]["arguments"].encode() or b"{}")
    except ValueError:
        return False
    return bool(call["id"])
