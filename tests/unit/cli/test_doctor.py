"""The doctor: a line each, with the mend, and an exit code that a script can go by."""

from __future__ import annotations

import http.server
import json
import tempfile
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import redis
from pydantic import SecretStr

from tests.support.cli_store import refused, told, turnfold
from turnfold.doctor.check import Check, place_of
from turnfold.doctor.checkup import checkup
from turnfold.doctor.model_check import model_check
from turnfold.doctor.store_check import store_checks
from turnfold.embedded import EmbeddedServer
from turnfold.settings import Settings


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddedServer]:
    with EmbeddedServer() as started:
        yield started


@contextmanager
def model_server(status: int, answer: Any) -> Generator[str]:
    """A server that answers every question so; its address."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status if self.headers.get("Authorization") != "Bearer wrong" else 401)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None: ...  # noqa: A002 - as the base names it

    httpd = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=httpd.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{httpd.server_port}/v1"
    finally:
        httpd.shutdown()
        thread.join()
        httpd.server_close()


def by_name(checks: list[Check]) -> dict[str, Check]:
    return {check.name: check for check in checks}


def test_all_is_well_where_all_is_well(server: EmbeddedServer) -> None:
    done = turnfold(server.redis_url, "doctor")
    checks = told(turnfold(server.redis_url, "doctor", "--json"))["checks"]

    names = ["store", "maxmemory-policy", "clock", "broker", "versions", "model", "policy"]
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split()[1] for line in done.stdout.splitlines()] == names
    assert all(line.startswith("ok ") for line in done.stdout.splitlines())
    assert [(check["name"], check["ok"], check["mend"]) for check in checks] == [(name, True, None) for name in names]


def test_without_a_store_it_says_what_to_set() -> None:
    done = turnfold(None, "doctor")
    lines = {line.split()[1]: line for line in done.stdout.splitlines()}
    assert (done.returncode, done.stderr) == (1, "")
    assert lines["store"].startswith("FAIL")
    assert "TURNFOLD_REDIS_URL" in lines["store"]
    assert "→" in lines["broker"]
    assert lines["model"].startswith("ok")


def test_a_setting_that_can_not_be_is_bad_input() -> None:
    assert "TURNFOLD_LEASE_SECONDS" in refused(turnfold(None, "doctor", TURNFOLD_LEASE_SECONDS="soon"))


async def test_servers_that_are_away_are_named_without_their_passwords() -> None:
    settings = Settings(redis_url="redis://:hunter2@127.0.0.1:1/0", broker_url="amqp://me:hunter2@127.0.0.1:1//")
    checks = by_name(await checkup(settings))
    assert not checks["store"].is_well
    assert not checks["broker"].is_well
    assert "TURNFOLD_REDIS_URL" in checks["store"].mend
    assert "hunter2" not in "".join(map(str, checks.values()))


async def test_a_store_that_may_drop_sessions_is_told_with_the_mend() -> None:
    with tempfile.TemporaryDirectory(prefix="tf-") as folder, EmbeddedServer(Path(folder)) as own:
        client: Any = redis.Redis.from_url(own.redis_url)
        client.config_set("maxmemory-policy", "allkeys-lru")
        client.close()

        checks = by_name(await store_checks(Settings(redis_url=own.redis_url)))

    assert checks["store"].is_well
    assert checks["maxmemory-policy"].said == "allkeys-lru"
    assert "noeviction" in checks["maxmemory-policy"].mend


async def test_the_policy_of_a_broker_of_its_own_is_looked_at_too(server: EmbeddedServer) -> None:
    with tempfile.TemporaryDirectory(prefix="tf-") as folder, EmbeddedServer(Path(folder)) as other:
        settings = Settings(redis_url=server.redis_url, broker_url=other.redis_url)
        said = [check.said for check in await checkup(settings) if check.name == "maxmemory-policy"]
    assert said == ["noeviction", "noeviction (broker)"]


@pytest.mark.parametrize(
    ("status", "answer", "key", "said", "is_well"),
    [
        (200, {"data": [{"id": "small"}]}, "right", "small at http", True),
        (200, {"data": [{"id": "other"}]}, "right", "has no model small", False),
        (200, {"models": []}, "right", "small at http", True),
        (200, b"<html>", "right", "does not tell", True),
        (404, {}, "right", "does not tell", True),
        (500, {}, "right", "answers 500", False),
        (200, {}, "wrong", "refuses the key", False),
    ],
)
async def test_the_server_of_the_model_is_asked_for_its_models(
    status: int, answer: Any, key: str, said: str, is_well: bool
) -> None:
    with model_server(status, answer) as url:
        check = await model_check(
            Settings(openai_base_url=url, openai_api_key=SecretStr(key), summary_model="small")
        )  # fmt: skip
    assert (check.is_well, said in check.said) == (is_well, True), check


async def test_a_summarizer_that_can_not_be_made_is_told_with_the_setting() -> None:
    for settings in (Settings(summarizer="nosuch"), Settings(summarizer="openai")):
        check = await model_check(settings)
        assert not check.is_well
        assert "TURNFOLD_SUMMAR" in check.mend


def test_an_address_is_told_without_its_secrets() -> None:
    assert place_of("redis://user:secret@host:6379/0?password=x") == "redis://host:6379/0"
    assert place_of("unix:///run/redis.sock?db=1") == "unix:///run/redis.sock"
