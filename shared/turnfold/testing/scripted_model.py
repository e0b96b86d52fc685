"""A model's server on loopback that answers what it was told to: both OpenAI protocols, streaming too."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self, cast

from turnfold.testing.model_reply import (
    MODEL,
    Calls,
    Fails,
    Reply,
    Says,
    completion,
    completion_chunks,
    response,
    response_events,
)

LOOPBACK = "127.0.0.1"
CHAT, RESPONSES = "/v1/chat/completions", "/v1/responses"


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request that came in: its path, its body, and which one it is, from 1."""

    path: str
    body: Any
    number: int

    @property
    def messages(self) -> list[Any]:
        """Messages of Chat Completions, or items of Responses."""
        found = self.body.get("messages", self.body.get("input"))
        return [{"role": "user", "content": found}] if isinstance(found, str) else list(found or [])

    @property
    def texts(self) -> list[str]:
        """Of each message its content, as text."""
        return [str(message.get("content") or message.get("output") or "") for message in self.messages]


Script = Callable[[ModelRequest], Reply | str]


class ScriptedModel:
    """A context manager: entered it listens, left it is gone. No key is asked for, nothing leaves this machine.

    Args:
        script: replies, one a request, the last of them for all that follow; or what makes a reply from a request.
            A plain string is a text.

        with ScriptedModel(["Hello!"]) as model:
            client = OpenAIChatClient(model=model.name, base_url=model.base_url)
    """

    name = MODEL

    def __init__(self, script: Iterable[Reply | str] | Script) -> None:
        self.requests: list[ModelRequest] = []
        self._script = script if callable(script) else _in_order(list(script))
        self._lock = threading.Lock()
        self._server = _Server((LOOPBACK, 0), _Exchange, self)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://{LOOPBACK}:{self._server.server_address[1]}/v1"

    def take(self, path: str, body: Any) -> tuple[ModelRequest, Reply]:
        """Notes a request; what is answered."""
        with self._lock:
            request = ModelRequest(path, body, len(self.requests) + 1)
            self.requests.append(request)
            reply = self._script(request)
        return request, Says(reply) if isinstance(reply, str) else reply

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Exchange(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path not in (CHAT, RESPONSES):
            self._send(404, {"error": {"message": f"there is no {self.path}"}})
            return
        request, reply = cast("_Server", self.server).model.take(self.path, body)
        if isinstance(reply, Fails):
            self._send(reply.status, {"error": {"message": f"failure {request.number}", "type": "scripted"}})
        elif body.get("stream"):
            self._stream(_events(request, reply))
        else:
            self._send(200, _answer(request, reply))

    def _send(self, status: int, body: Any) -> None:
        data = json.dumps(body).encode()
        self._head(status, "application/json", len(data))
        self.wfile.write(data)

    def _stream(self, events: Iterator[dict[str, Any]]) -> None:
        self._head(200, "text/event-stream", None)
        self.close_connection = True
        try:
            for event in events:
                name = f"event: {event['type']}\n" if "type" in event else ""
                self.wfile.write(f"{name}data: {json.dumps(event)}\n\n".encode())
                self.wfile.flush()
            self.wfile.write(b"data: [DONE]\n\n")
        except OSError:  # whoever asked has gone
            return

    def _head(self, status: int, kind: str, length: int | None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def log_message(self, format: str, *_: object) -> None:  # noqa: A002 - the base class's name
        """Says nothing: the requests are kept."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, address: tuple[str, int], handler: type[_Exchange], model: ScriptedModel) -> None:
        super().__init__(address, handler)
        self.model = model


def _in_order(replies: list[Reply | str]) -> Script:
    if not replies:
        raise ValueError("script: must hold at least one reply")
    return lambda request: replies[min(request.number, len(replies)) - 1]


def _answer(request: ModelRequest, reply: Says | Calls) -> dict[str, Any]:
    tokens = sum(len(text) for text in request.texts) // 4
    if request.path == RESPONSES:
        return response(reply, request.number, request.body.get("conversation"), tokens)
    return completion(reply, request.number, tokens)


def _events(request: ModelRequest, reply: Says | Calls) -> Iterator[dict[str, Any]]:
    if request.path == RESPONSES:
        return response_events(_answer(request, reply))
    return completion_chunks(reply, request.number, sum(len(text) for text in request.texts) // 4)
