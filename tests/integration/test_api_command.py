from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.support.waiting import wait_until
from turnfold.embedded import EmbeddedServer
from turnfold_api.listening import open_socket

COMMAND = (sys.executable, "-P", "-m", "turnfold", "api")
TIMEOUT_SECONDS = 20

Start = Callable[..., "Api"]


class Api:
    """A running `turnfold api`, with its log in JSON."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self.process, self._log = process, log
        self.url: str = self.wait_for_line("api.ready")["url"]

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._log.read_text().splitlines(keepends=True) if line.endswith("\n")]

    def wait_for_line(self, event: str) -> dict[str, Any]:
        def line() -> dict[str, Any] | None:
            assert self.process.poll() is None or self.lines(), self._log.read_text()
            return next((one for one in self.lines() if one["event"] == event), None)

        return wait_until(line, description=event, timeout_seconds=TIMEOUT_SECONDS) or {}

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
                return answer.status, json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read() or b"null")


@pytest.fixture(scope="module")
def store() -> Iterator[EmbeddedServer]:
    with EmbeddedServer() as running:
        yield running


@pytest.fixture
def start(store: EmbeddedServer, tmp_path: Path) -> Iterator[Start]:
    started: list[subprocess.Popen[bytes]] = []

    def begin(**settings: str) -> Api:
        log = tmp_path / f"api{len(started)}.log"
        env = {**os.environ, "TURNFOLD_REDIS_URL": store.redis_url, "TURNFOLD_LOG_FORMAT": "json", **settings}
        with log.open("wb") as output:
            started.append(subprocess.Popen((*COMMAND, "--port", "0"), env=env, stderr=output, stdout=output))
        return Api(started[-1], log)

    yield begin
    for process in started:
        process.kill()
        process.wait()


def refused(*arguments: str, **settings: str) -> str:
    """What the command says when it does not start."""
    env = {**os.environ, "TURNFOLD_REDIS_URL": "redis://127.0.0.1:1", **settings}
    env = {name: value for name, value in env.items() if value}
    done = subprocess.run((*COMMAND, *arguments), env=env, capture_output=True, timeout=TIMEOUT_SECONDS, check=False)
    said = done.stderr.decode()
    assert (done.returncode, done.stdout, said.count("\n")) == (2, b"", 1), said
    return said


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_serves_until_it_is_told_to_end(start: Start, number: signal.Signals) -> None:
    api = start()
    messages = [{"role": "user", "content": "nobody shall read this in a log"}]
    assert api.call("GET", "/readyz")[0] == 200
    assert api.call("POST", f"/v1/sessions/s{number}/messages", {"messages": messages})[0] == 201
    assert api.call("GET", f"/v1/sessions/s{number}/context")[1]["messages"] == messages

    api.process.send_signal(number)

    assert api.process.wait(TIMEOUT_SECONDS) == 0
    lines = api.lines()
    assert [line["event"] for line in lines if line["level"] != "debug"] == [
        "api.ready",
        "http.request",
        "http.request",
        "api.stopped",
    ]
    assert "nobody" not in str(lines)


def test_whoever_waits_for_a_summary_is_answered_when_it_ends(start: Start) -> None:
    api = start(TURNFOLD_POLICY='{"strategy": "summarization", "target_count": 1, "threshold": 1}')
    messages = [{"role": "user", "content": "x"}] * 20
    assert api.call("POST", "/v1/sessions/waits/messages", {"messages": messages})[1]["job"]
    waiting = http.client.HTTPConnection("127.0.0.1", urlsplit(api.url).port, timeout=TIMEOUT_SECONDS)
    waiting.request("GET", "/livez")
    waiting.getresponse().read()
    waiting.request("GET", "/v1/sessions/waits/context?wait_ms=30000")
    # What comes later, on a new connection, is answered: then the request above is being served.
    assert api.call("GET", "/livez")[0] == 200

    api.process.terminate()

    assert waiting.getresponse().status == 200
    waiting.close()
    assert api.process.wait(TIMEOUT_SECONDS) == 0


def test_without_keys_it_listens_to_this_machine_alone() -> None:
    assert "TURNFOLD_API_KEYS" in refused("--host", "0.0.0.0")


def test_a_port_that_is_taken_is_told() -> None:
    with open_socket("127.0.0.1", 0, loopback_only=True) as taken:
        assert "is taken" in refused("--port", str(taken.getsockname()[1]))


@pytest.mark.parametrize(
    ("setting", "value"),
    [("TURNFOLD_API_KEYS", "nonsense"), ("TURNFOLD_REDIS_URL", "")],
)
def test_a_setting_that_is_wrong_is_named(setting: str, value: str) -> None:
    assert refused("--port", "0", **{setting: value}).startswith(f"turnfold: {setting}")


def test_a_policy_that_is_wrong_is_named() -> None:
    assert "magic" in refused("--port", "0", TURNFOLD_POLICY='{"strategy": "magic"}')
