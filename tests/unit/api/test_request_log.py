from __future__ import annotations

import logging
from typing import Any

import httpx
import pytest

from tests.unit.api.chat import JSON, log_lines
from tests.unit.api.conftest import MakeApp, MakeClient
from turnfold_api.head_requests import HeadRequests
from turnfold_api.http_metrics import HttpMetrics
from turnfold_api.request_log import RequestLog


@pytest.fixture(autouse=True)
def all_levels(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="turnfold_api")


async def test_a_request_keeps_the_id_that_it_came_with(client: httpx.AsyncClient) -> None:
    for url in ("/livez", "/nowhere", "/v1/sessions"):
        answer = await client.get(url, headers={"X-Request-Id": "trace-1.a:b"})
        assert answer.headers["x-request-id"] == "trace-1.a:b"


@pytest.mark.parametrize("given", [None, "", "a b", "a\tb", "x" * 129, "é"])
async def test_a_request_without_a_fit_id_is_given_one(client: httpx.AsyncClient, given: str | None) -> None:
    headers = [] if given is None else [(b"x-request-id", given.encode())]

    ids = {(await client.get("/livez", headers=headers)).headers["x-request-id"] for _ in range(2)}

    assert len(ids) == 2
    assert given not in ids


async def test_a_line_has_ids_and_numbers_and_nothing_that_was_said(
    make_client: MakeClient, caplog: pytest.LogCaptureFixture
) -> None:
    client = make_client(keys="acme:s3cret-key", key="s3cret-key")
    body = b'{"messages": [{"role": "user", "content": "s3cret"}]}'
    for session_id in ("a%0Ab", "a"):
        url = f"/v1/sessions/{session_id}/messages?q=s3cret"
        await client.post(url, content=body, headers={**JSON, "X-Request-Id": "r1"})

    lines = log_lines(caplog)
    duration = lines[-1].pop("duration_ms")
    assert isinstance(duration, float)
    assert lines[-1] == {
        "event": "http.request",
        "level": "INFO",
        "method": "POST",
        "path": "/v1/sessions/a/messages",
        "status": 201,
        "tenant": "acme",
        "request_id": "r1",
    }
    assert lines[0]["path"] == "/v1/sessions/a%0Ab/messages"
    assert "s3cret" not in str(lines)


async def test_probes_are_logged_for_those_who_look_closely(
    client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    await client.get("/livez")

    assert [line["level"] for line in log_lines(caplog)] == ["DEBUG"]


async def test_a_client_that_leaves_in_the_middle_of_its_body_is_no_fault(
    make_app: MakeApp, caplog: pytest.LogCaptureFixture
) -> None:
    app: Any = make_app()
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", b"localhost"), (b"content-type", b"application/json"), (b"content-length", b"10")]
    scope = {"type": "http", "method": "POST", "path": "/v1/compact", "headers": headers, "query_string": b""}
    await app({**scope, "root_path": "", "server": ("t", 80)}, receive, send)

    assert [(line["event"], line["status"]) for line in log_lines(caplog)] == [("http.request", 499)]
    assert sent == []


async def test_half_an_answer_is_never_made_to_look_whole(caplog: pytest.LogCaptureFixture) -> None:
    async def breaks(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise RuntimeError

    transport = httpx.ASGITransport(RequestLog(HeadRequests(breaks), metrics=HttpMetrics()))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        with pytest.raises(RuntimeError):
            await client.get("/")

    assert [line["event"] for line in log_lines(caplog)] == ["http.failed", "http.request"]
