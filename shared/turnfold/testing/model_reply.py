"""What a scripted model answers, in the words of both OpenAI protocols."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

MODEL = "scripted"


@dataclass(frozen=True, slots=True)
class Says:
    """A text."""

    text: str


@dataclass(frozen=True, slots=True)
class Calls:
    """Calls of tools, all at once: name and arguments of each; text may go before them."""

    calls: tuple[tuple[str, Mapping[str, Any]], ...]
    text: str = ""

    @classmethod
    def one(cls, name: str, **arguments: Any) -> Calls:
        """A single call."""
        return cls(((name, arguments),))


@dataclass(frozen=True, slots=True)
class Fails:
    """An error of this status."""

    status: int = 500


Reply = Says | Calls | Fails


def completion(reply: Says | Calls, number: int, prompt_tokens: int) -> dict[str, Any]:
    """A Chat Completions answer."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if isinstance(reply, Calls):
        message["tool_calls"] = _chat_calls(reply, number)
    reason = "tool_calls" if isinstance(reply, Calls) else "stop"
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": MODEL,
        "choices": [{"index": 0, "finish_reason": reason, "logprobs": None, "message": message}],
        "usage": _chat_usage(prompt_tokens),
    }


def completion_chunks(reply: Says | Calls, number: int, prompt_tokens: int) -> Iterator[dict[str, Any]]:
    """The same, piece by piece."""
    yield _chunk(number, {"role": "assistant", "content": ""})
    for word in _pieces(reply.text):
        yield _chunk(number, {"content": word})
    for index, call in enumerate(_chat_calls(reply, number) if isinstance(reply, Calls) else ()):
        name, arguments = call["function"]["name"], call["function"]["arguments"]
        head = {"index": index, "id": call["id"], "type": "function", "function": {"name": name, "arguments": ""}}
        yield _chunk(number, {"tool_calls": [head]})
        for piece in (arguments[: len(arguments) // 2], arguments[len(arguments) // 2 :]):
            yield _chunk(number, {"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield _chunk(number, {}, "tool_calls" if isinstance(reply, Calls) else "stop")
    yield {**_chunk(number, {}), "choices": [], "usage": _chat_usage(prompt_tokens)}


def response(reply: Says | Calls, number: int, conversation: str | None, prompt_tokens: int) -> dict[str, Any]:
    """A Responses answer."""
    text: list[dict[str, Any]] = [{"type": "output_text", "text": reply.text, "annotations": []}]
    output: list[dict[str, Any]] = []
    if reply.text:
        output.append(
            {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed", "content": text}
        )
    for n, (name, arguments) in enumerate(reply.calls if isinstance(reply, Calls) else ()):
        call = {"type": "function_call", "id": f"fc_{number}_{n}", "call_id": f"call_{number}_{n}", "name": name}
        output.append({**call, "arguments": json.dumps(arguments), "status": "completed"})
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": int(time.time()),
        "model": MODEL,
        "status": "completed",
        "output": output,
        "conversation": None if conversation is None else {"id": conversation},
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": _response_usage(prompt_tokens),
    }


def response_events(answer: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A Responses answer, event by event."""
    yield {"type": "response.created", "sequence_number": 0, "response": {**answer, "output": [], "usage": None}}
    number = 0
    for index, item in enumerate(answer["output"]):
        for piece in _pieces(item["content"][0]["text"]) if item["type"] == "message" else ():
            number += 1
            place: dict[str, Any] = {"item_id": item["id"], "output_index": index, "content_index": 0, "logprobs": []}
            yield {"type": "response.output_text.delta", "sequence_number": number, "delta": piece, **place}
    yield {"type": "response.completed", "sequence_number": number + 1, "response": answer}


def _chat_calls(reply: Calls, number: int) -> list[dict[str, Any]]:
    return [
        {"id": f"call_{number}_{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for n, (name, arguments) in enumerate(reply.calls)
    ]


def _chunk(number: int, delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion.chunk",
        "created": int(time.time()),
        "model": MODEL,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}],
    }


def _pieces(text: str) -> list[str]:
    return [word + " " for word in text.split(" ")[:-1]] + text.split(" ")[-1:] if text else []


def _chat_usage(prompt_tokens: int) -> dict[str, int]:
    return {"prompt_tokens": prompt_tokens, "completion_tokens": 20, "total_tokens": prompt_tokens + 20}


def _response_usage(prompt_tokens: int) -> dict[str, Any]:
    return {
        "input_tokens": prompt_tokens,
        "output_tokens": 20,
        "total_tokens": prompt_tokens + 20,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
