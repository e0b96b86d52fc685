"""A model's server on loopback: it speaks Chat Completions, and answers each request as a test has told it to.

Requests are told apart by a mark, a word that stands somewhere in their body: a test gives its conversation one, and
shares the server with others.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol, Self, cast

from tests.support.waiting import wait_until

LOOPBACK = "127.0.0.1"
MODEL = "small-model"
ARRIVAL_SECONDS = 20.0
# Long enough for any test; a held answer whose test has failed must not hold the run.
LONGEST_SECONDS = 60.0


class Gate:
    """Holds an answer back until the test opens it."""

    def __init__(self) -> None:
        self._opened = threading.Event()

    def open(self) -> None:
        self._opened.set()

    def pass_when_open(self) -> None:
        self._opened.wait(LONGEST_SECONDS)


@dataclass(eq=False)
class Call:
    """One request that came in."""

    body: Any
    text: str
    number: int
    at: float = field(default_factory=time.monotonic)
    is_answered: bool = False
    answered_at: float = 0.0


class Answer(Protocol):
    """What is done with one request."""

    def give(self, exchange: Exchange, call: Call) -> None: ...


@dataclass(frozen=True)
class Say:
    """A reply; without a text a summary such as a model might write, different for each call."""

    text: str | None = None
    refusal: str | None = None
    after_seconds: float = 0.0
    gate: Gate | None = None

    def give(self, exchange: Exchange, call: Call) -> None:
        if self.gate is not None:
            self.gate.pass_when_open()
        exchange.model.closing.wait(self.after_seconds)
        text = summary_number(call.number) if self.text is None else self.text
        exchange.send(200, _completion(text, self.refusal))


@dataclass(frozen=True)
class Fail:
    """An error of this status."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    def give(self, exchange: Exchange, call: Call) -> None:
        exchange.send(self.status, {"error": {"message": f"failure {call.number}", "type": "test"}}, self.headers)


@dataclass(frozen=True)
class Hang:
    """No answer at all, and no end of the connection."""

    def give(self, exchange: Exchange, call: Call) -> None:
        exchange.model.closing.wait(LONGEST_SECONDS)
        exchange.close_connection = True


@dataclass(frozen=True)
class Cut:
    """The connection breaks in the middle of an answer."""

    def give(self, exchange: Exchange, call: Call) -> None:
        exchange.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{")
        exchange.wfile.flush()
        exchange.connection.shutdown(socket.SHUT_RDWR)
        exchange.close_connection = True


@dataclass(frozen=True)
class FailUntil:
    """An error of this status until that moment (`time.monotonic()`), and a summary from then on."""

    status: int
    moment: float

    def give(self, exchange: Exchange, call: Call) -> None:
        (Fail(self.status) if time.monotonic() < self.moment else Say()).give(exchange, call)


@dataclass(frozen=True)
class Drip:
    """An answer that comes byte by byte, and would take minutes."""

    every_seconds: float = 0.1

    def give(self, exchange: Exchange, call: Call) -> None:
        body = json.dumps(_completion(summary_number(call.number), None)).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        exchange.wfile.write(head.encode())
        for byte in body:
            exchange.wfile.write(bytes([byte]))
            exchange.wfile.flush()
            if exchange.model.closing.wait(self.every_seconds):
                break
        exchange.close_connection = True


class ModelServer:
    """A context manager: entered it listens, left it is gone, and whoever still waits is sent away."""

    def __init__(self) -> None:
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._calls: list[Call] = []
        self._scripts: dict[str, deque[Answer]] = defaultdict(deque)
        self._server = _Server((LOOPBACK, 0), Exchange, self)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://{LOOPBACK}:{self._server.server_address[1]}/v1"

    def tell(self, mark: str, *answers: Answer) -> None:
        """Answers the next requests with this mark so, one after the other; those beyond with a summary."""
        with self._lock:
            self._scripts[mark].extend(answers)

    def calls(self, mark: str) -> list[Call]:
        """Requests with this mark, in the order in which they came."""
        with self._lock:
            return [call for call in self._calls if mark in call.text]

    def wait_for_call(self, mark: str, *, number: int = 1) -> Call:
        """The first, or a later, request with this mark, once it is there."""
        wait_until(
            lambda: len(self.calls(mark)) >= number,
            description=f"the model is asked {number} times about {mark}",
            timeout_seconds=ARRIVAL_SECONDS,
        )
        return self.calls(mark)[number - 1]

    def take(self, text: str) -> tuple[Call, Answer]:
        """Notes a request, and says what becomes of it."""
        with self._lock:
            call = Call(json.loads(text), text, len(self._calls) + 1)
            self._calls.append(call)
            told = next((script for mark, script in self._scripts.items() if script and mark in text), None)
            return call, told.popleft() if told else Say()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class Exchange(BaseHTTPRequestHandler):
    """One request and its answer."""

    protocol_version = "HTTP/1.1"

    @property
    def model(self) -> ModelServer:
        return cast(_Server, self.server).model

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if not self.path.endswith("/chat/completions"):
            self.send(404, {"error": {"message": f"there is no {self.path}"}})
            return
        call, answer = self.model.take(text)
        try:
            answer.give(self, call)
        except OSError:  # the client has gone, or was killed
            self.close_connection = True
        finally:
            call.answered_at = time.monotonic()
            call.is_answered = True

    def send(self, status: int, body: Any, headers: Mapping[str, str] | None = None) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *_: object) -> None:  # noqa: A002 - the base class's name
        """Says nothing: the calls are kept."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, address: tuple[str, int], handler: type[Exchange], model: ModelServer) -> None:
        super().__init__(address, handler)
        self.model = model

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed while it waited is what these tests are about."""


def summary_number(number: int) -> str:
    """A summary that passes every check, and can be told from others."""
    return f"Summary number {number}: the user asked where several parcels are, and wants each at depot nine by Friday."


def _completion(text: str, refusal: str | None) -> dict[str, Any]:
    message = {"role": "assistant", "content": text, "refusal": refusal}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": MODEL,
        "choices": [{"index": 0, "finish_reason": "stop", "logprobs": None, "message": message}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }
