"""The few calls of the HTTP API that the demo makes, each timed."""

from __future__ import annotations

import http.client
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlsplit

from turnfold import jsonio
from turnfold.errors import Unavailable

TIMEOUT_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Request:
    """One request that was made, and how long its answer took."""

    what: str
    seconds: float


@dataclass(slots=True)
class ApiClient:
    """One connection, kept open, as a backend would."""

    base_url: str
    requests: list[Request] = field(default_factory=list[Request])
    _connection: http.client.HTTPConnection | None = None

    def append(self, session: str, messages: list[Any]) -> dict[str, Any]:
        return self._call("append", "POST", f"/v1/sessions/{quote(session, safe='')}/messages", {"messages": messages})

    def context(self, session: str) -> dict[str, Any]:
        return self._call("context", "GET", f"/v1/sessions/{quote(session, safe='')}/context")

    def groups(self, session: str) -> list[dict[str, Any]]:
        """All groups, page by page."""
        path, found = f"/v1/sessions/{quote(session, safe='')}/groups?limit=1000", list[dict[str, Any]]()
        page = self._call("look", "GET", path)
        found += page["groups"]
        while page.get("next"):
            page = self._call("look", "GET", f"{path}&cursor={quote(str(page['next']), safe='')}")
            found += page["groups"]
        return found

    def job(self, job_id: str) -> dict[str, Any]:
        return self._call("look", "GET", f"/v1/jobs/{job_id}")

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def _call(self, what: str, method: str, path: str, body: Any = None) -> dict[str, Any]:
        if self._connection is None:
            address = urlsplit(self.base_url)
            self._connection = http.client.HTTPConnection(address.netloc, timeout=TIMEOUT_SECONDS)
        began = time.perf_counter()
        headers = {"Content-Type": "application/json"} if body is not None else {}
        data = jsonio.dumps(body) if body is not None else None
        self._connection.request(method, path, body=data, headers=headers)
        answer = self._connection.getresponse()
        text = answer.read()
        self.requests.append(Request(what, time.perf_counter() - began))
        if answer.status >= 400:
            raise Unavailable(f"{method} {path} was answered {answer.status}: {text[:300].decode(errors='replace')}")
        found: dict[str, Any] = jsonio.loads(text)
        return found
