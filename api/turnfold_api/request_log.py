"""Gives each request an id and a log line, counts it, and has the last word on errors.

A line has ids and numbers: no body, no query, no key.
"""

from __future__ import annotations

import re
import secrets
import time
from typing import TYPE_CHECKING, Any

from starlette.requests import ClientDisconnect

from turnfold import telemetry
from turnfold_api.problems import internal_problem

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from turnfold_api.http_metrics import HttpMetrics


REQUEST_ID = b"x-request-id"
CLIENT_LEFT = 499
PROBES = ("/livez", "/readyz", "/metrics")
_GIVEN_ID = re.compile(rb"[A-Za-z0-9._:/+=@-]{1,128}")

log = telemetry.logger(__name__)


class RequestLog:
    """Wraps the application."""

    def __init__(self, app: ASGIApp, *, metrics: HttpMetrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id, started = _request_id(scope), time.perf_counter()
        scope.setdefault("state", {})["request_id"] = request_id
        answer = _Answer(send, request_id)
        try:
            await self._answer(scope, receive, answer)
        finally:
            status, seconds = answer.status or CLIENT_LEFT, time.perf_counter() - started
            self._metrics.count(scope, status, seconds)
            _write_line(scope, status, seconds)

    async def _answer(self, scope: Scope, receive: Receive, answer: _Answer) -> None:
        try:
            await self._app(scope, receive, answer.send)
        except ClientDisconnect:
            return
        except Exception:
            log.exception(telemetry.HTTP_FAILED, **_facts(scope))
            if answer.status:  # half an answer is out: the connection must break, or the client takes it for whole
                raise
            await internal_problem()(scope, receive, answer.send)


class _Answer:
    """Passes an answer on, with the request's id, and remembers its status; 0: none has begun."""

    def __init__(self, send: Send, request_id: str) -> None:
        self._send, self._request_id = send, request_id
        self.status = 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message = {**message, "headers": [*message["headers"], (REQUEST_ID, self._request_id.encode())]}
        await self._send(message)


def _request_id(scope: Scope) -> str:
    """The one that came with the request, if it is fit for a log; else a new one."""
    given = next((value for name, value in scope["headers"] if name == REQUEST_ID), b"")
    return given.decode() if _GIVEN_ID.fullmatch(given) else secrets.token_hex(12)


def _write_line(scope: Scope, status: int, seconds: float) -> None:
    write = log.debug if scope["path"] in PROBES else log.info
    write(
        telemetry.HTTP_REQUEST,
        **_facts(scope),
        status=status,
        duration_ms=round(seconds * 1000, 1),
    )


def _facts(scope: Scope) -> dict[str, Any]:
    """The request, and whose it is where that is known."""
    facts = {"method": scope["method"], "path": _path(scope)}
    return facts | {name: scope["state"][name] for name in ("tenant", "request_id") if name in scope["state"]}


def _path(scope: Scope) -> str:
    """Percent-encoded, as it came, so that no id can break a line."""
    raw = scope.get("raw_path")
    return raw.decode("latin-1") if raw else ascii(scope["path"])
