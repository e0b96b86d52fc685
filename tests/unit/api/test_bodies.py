from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest

from tests.unit.api.chat import JSON, problem
from tests.unit.api.conftest import MakeClient

URL = "/v1/sessions/a/messages"


@pytest.mark.parametrize(
    "body",
    [b"{", b"nonsense", b"\xff", b'{"messages": [NaN]}', b'{"messages": [-Infinity]}', b'[{"a": 1e999}]', b"1" * 5000],
)
async def test_what_is_no_json_is_a_bad_request(client: httpx.AsyncClient, body: bytes) -> None:
    problem(await client.post(URL, content=body, headers=JSON), 400, "unparsable-json")


@pytest.mark.parametrize("depth", [102, 2000, 40_000])
async def test_what_is_nested_too_deep_is_refused(client: httpx.AsyncClient, depth: int) -> None:
    body = b'{"messages": ' + b"[" * depth + b"]" * depth + b"}"

    assert "nested" in problem(await client.post(URL, content=body, headers=JSON), 422, "invalid-input")["detail"]


async def test_what_is_nested_as_deep_as_allowed_comes_back(client: httpx.AsyncClient) -> None:
    deep = b"[" * 97 + b"1" + b"]" * 97
    body = b'{"messages": [{"role": "user", "content": "x", "deep": %s}]}' % deep

    assert (await client.post(URL, content=body, headers=JSON)).status_code == 201
    assert deep in (await client.get(URL)).content.replace(b" ", b"")


@pytest.mark.parametrize("media_type", ["text/plain", "application/x-www-form-urlencoded", "", "application/jsonp"])
async def test_a_body_of_another_type_is_refused(client: httpx.AsyncClient, media_type: str) -> None:
    answer = await client.post(URL, content=b"{}", headers={"Content-Type": media_type} if media_type else {})

    problem(answer, 415, "unsupported-media-type")


async def test_a_compressed_body_is_refused(client: httpx.AsyncClient) -> None:
    answer = await client.post(URL, content=b"{}", headers={**JSON, "Content-Encoding": "gzip"})

    problem(answer, 415, "unsupported-media-type")


@pytest.mark.parametrize("media_type", ["application/json; charset=utf-8", "Application/JSON", "application/x+json"])
async def test_json_by_any_of_its_names_is_taken(client: httpx.AsyncClient, media_type: str) -> None:
    answer = await client.post(URL, content=b"{}", headers={"Content-Type": media_type})

    assert problem(answer, 422, "invalid-input")["errors"] == [{"path": "messages", "message": "is missing"}]


async def test_a_body_that_says_that_it_is_too_large_is_not_read(make_client: MakeClient) -> None:
    read: list[bytes] = []

    async def body() -> AsyncIterator[bytes]:
        read.append(b"x")
        yield b"x" * 101

    headers = {**JSON, "Content-Length": "101"}
    answer = await make_client(max_body_bytes=100).post(URL, content=body(), headers=headers)

    problem(answer, 413, "body-too-large")
    assert read == []


async def test_a_body_of_unknown_length_is_read_no_further_than_the_bound(make_client: MakeClient) -> None:
    read: list[bytes] = []

    async def body() -> AsyncIterator[bytes]:
        for _ in range(1000):
            read.append(b"x" * 60)
            yield read[-1]

    answer = await make_client(max_body_bytes=100).post(URL, content=body(), headers=JSON)

    problem(answer, 413, "body-too-large")
    assert len(read) == 2


async def test_a_body_of_just_the_bound_is_taken(make_client: MakeClient) -> None:
    body = b'{"messages":[{"role":"user","content":"x"}]}'

    answer = await make_client(max_body_bytes=len(body)).post(URL, content=body, headers=JSON)

    assert answer.status_code == 201


async def test_an_error_does_not_echo_a_whole_body(client: httpx.AsyncClient) -> None:
    answer = await client.post(URL, json={"messages": [{"role": "x" * 50_000}]})

    problem(answer, 422, "invalid-input")
    assert len(answer.content) < 10_000
