"""An answer of the model's server that comes in pieces."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.support.model_server import Call, Exchange, Gate


@dataclass(frozen=True)
class Streamed:
    """Deltas as server-sent events.

    Attributes:
        gate: what the second delta waits for.
        is_cut: the connection breaks after the last delta.
        usage: reported in a chunk of its own at the end.
    """

    deltas: Sequence[Mapping[str, Any]]
    finish_reason: str = "stop"
    gate: Gate | None = None
    is_cut: bool = False
    usage: Mapping[str, int] = field(default_factory=dict[str, int])

    def give(self, exchange: Exchange, call: Call) -> None:
        exchange.send_response(200)
        exchange.send_header("Content-Type", "text/event-stream")
        exchange.send_header("Transfer-Encoding", "chunked")
        exchange.send_header("Connection", "close")
        exchange.end_headers()
        for number, delta in enumerate(self.deltas):
            if number == 1 and self.gate is not None:
                self.gate.pass_when_open()
            self._chunk(exchange, {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
        exchange.close_connection = True
        if self.is_cut:
            exchange.connection.shutdown(socket.SHUT_RDWR)
            return
        self._chunk(exchange, {"choices": [{"index": 0, "delta": {}, "finish_reason": self.finish_reason}]})
        if self.usage:
            self._chunk(exchange, {"choices": [], "usage": self.usage})
        self._send(exchange, b"data: [DONE]\n\n")
        exchange.wfile.write(b"0\r\n\r\n")

    def _chunk(self, exchange: Exchange, fields: Mapping[str, Any]) -> None:
        chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "small-model", **fields}
        self._send(exchange, f"data: {json.dumps(chunk)}\n\n".encode())

    def _send(self, exchange: Exchange, data: bytes) -> None:
        exchange.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        exchange.wfile.flush()


@dataclass(frozen=True)
class Reply:
    """A whole reply with any message."""

    message: Mapping[str, Any]
    usage: Mapping[str, int] = field(default_factory=lambda: {"prompt_tokens": 7, "completion_tokens": 3})

    def give(self, exchange: Exchange, call: Call) -> None:
        choice = {"index": 0, "message": self.message, "finish_reason": "stop", "logprobs": None}
        body = {"id": "c", "object": "chat.completion", "created": 1, "model": "small-model", "choices": [choice]}
        exchange.send(200, {**body, "usage": {**self.usage, "total_tokens": sum(self.usage.values())}})
