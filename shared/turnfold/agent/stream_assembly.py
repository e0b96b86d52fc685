"""A streamed Chat Completions reply, put together again."""

from __future__ import annotations

from typing import Any

from turnfold.agent.chat_response import ChatResponse, reply_message, usage_of

# Fields of a delta that come in pieces of text; the last two are those of servers whose models show their reasoning.
_TEXTS = ("content", "refusal", "reasoning_content", "reasoning")


class ChatStreamAssembly:
    """Takes chunks one by one."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._calls: dict[int, dict[str, Any]] = {}
        self._response = ChatResponse()

    def take(self, chunk: Any) -> str:
        """The text that the chunk adds to the reply; empty where it adds something else."""
        response = self._response
        response.model, response.response_id = chunk.model or response.model, chunk.id or response.response_id
        if getattr(chunk, "usage", None) is not None:
            response.usage = usage_of(chunk.usage)
        if not chunk.choices:
            return ""
        choice = chunk.choices[0]
        response.finish_reason = choice.finish_reason or response.finish_reason
        for call in getattr(choice.delta, "tool_calls", None) or ():
            self._take_call(call)
        for field in _TEXTS:
            if isinstance(piece := getattr(choice.delta, field, None), str):
                self._texts[field] = self._texts.get(field, "") + piece
        return getattr(choice.delta, "content", None) or ""

    def response(self) -> ChatResponse:
        """The whole reply."""
        fields: dict[str, Any] = {name: text for name, text in self._texts.items() if text}
        fields["tool_calls"] = [call for _, call in sorted(self._calls.items())]
        if not fields["tool_calls"]:
            fields.setdefault("content", "")
        self._response.messages = [reply_message(fields)]
        return self._response

    def _take_call(self, piece: Any) -> None:
        # Some servers leave the index out: a piece with an id begins a call, others go on with the last one.
        index = piece.index if piece.index is not None else len(self._calls) - (0 if piece.id else 1)
        call = self._calls.setdefault(index, {"id": "", "type": "function", "function": {"name": "", "arguments": ""}})
        call["id"] = piece.id or call["id"]
        function = piece.function
        if function is not None:
            call["function"]["name"] += function.name or ""
            call["function"]["arguments"] += function.arguments or ""
