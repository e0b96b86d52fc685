"""Whatever JSON stands wherever in a body: it is taken, or refused by the name of its field; never a fault of ours."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.unit.api.chat import JSON, chat
from tests.unit.api.conftest import MakeApp, MakeClient
from tests.unit.library.test_any_json import ANTHROPIC, CHAT, RESPONSES, VALUES, Path, paths, put

POLICY: dict[str, Any] = {
    "strategy": "pipeline", "tokenizer": "estimate",
    "strategies": [
        {"strategy": "tool_result", "trigger": "always", "minimum_preserved": 0, "style": "calls"},
        {"strategy": "summarization", "trigger": {"all": ["always", {"not": "never"}]}, "summary_ratio": 0.5},
    ],
}  # fmt: skip
BODIES: dict[str, dict[str, Any]] = {
    "/v1/sessions": {
        "id": "s", "policy": POLICY, "metadata": {"a": [1]}, "ttl_seconds": 60, "service_session_id": "x",
    },
    "/v1/sessions/s/messages": {
        "messages": chat(2),
        "usage": {"prompt_tokens": 9, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 1}},
    },
    "/v1/sessions/s/compactions": {},
    "/v1/compact": {"messages": chat(2), "policy": POLICY, "format": "chat", "system": None, "summarize": True},
}  # fmt: skip
MORE_VALUES: list[Any] = [*VALUES, 2**63, 10**400, [[[[1]]]], {"": {}}]
PLACES = [(url, path) for url, body in BODIES.items() for path in paths(body)]


def is_clear(answer: httpx.Response) -> bool:
    """Done, or refused with what is wrong."""
    return answer.status_code < 300 or (answer.status_code < 500 and bool(answer.json()["detail"]))


def text_of(value: Any) -> bytes:
    """As JSON, halves of characters and all."""
    return json.dumps(value).encode()


@pytest.mark.parametrize("path", [path for path in paths(CHAT) if path])
async def test_any_value_anywhere_in_a_message_is_stored_or_refused(client: httpx.AsyncClient, path: Path) -> None:
    for number, value in enumerate(VALUES):
        url = f"/v1/sessions/s{number}"
        answer = await client.post(
            f"{url}/messages", content=text_of({"messages": put(CHAT, path, value)}), headers=JSON
        )

        assert is_clear(answer), (value, answer.text)
        if answer.status_code == 201:
            for name in ("chat", "responses", "anthropic"):
                context = await client.get(f"{url}/context", params={"format": name})
                assert context.status_code == 200, (value, context.text)


@pytest.mark.parametrize(("url", "path"), PLACES)
async def test_any_value_in_any_field_is_taken_or_refused(client: httpx.AsyncClient, url: str, path: Path) -> None:
    await client.post("/v1/sessions/s/messages", json={"messages": chat(2)})
    for value in MORE_VALUES:
        answer = await client.post(url, content=text_of(put(BODIES[url], path, value)), headers=JSON)

        assert is_clear(answer), (value, answer.text)


@pytest.mark.parametrize(("name", "messages"), [("chat", CHAT), ("responses", RESPONSES), ("anthropic", ANTHROPIC)])
async def test_any_value_in_any_format_is_compacted_or_refused(
    client: httpx.AsyncClient, name: str, messages: list[Any]
) -> None:
    for path, value in some_of([(path, value) for path in paths(messages) if path for value in VALUES]):
        body = {"messages": put(messages, path, value), "policy": POLICY, "format": name, "summarize": True}
        answer = await client.post("/v1/compact", content=text_of(body), headers=JSON)

        assert is_clear(answer), (path, value, answer.text)


async def test_any_value_in_a_call_of_the_proxy_is_passed_on_or_refused(
    make_app: MakeApp, make_client: MakeClient
) -> None:
    app = make_app(upstream_base_url="http://127.0.0.1:9/v1")
    client, seen = make_client(app), set[int]()
    body = {"model": "m", "messages": CHAT, "stream": False, "metadata": {"session_id": "s"}, "max_tokens": 5}
    async with app.router.lifespan_context(app):
        for path, value in some_of([(path, value) for path in paths(body) for value in VALUES]):
            answer = await client.post("/v1/chat/completions", content=text_of(put(body, path, value)), headers=JSON)

            assert answer.json()["error"]["message"]
            seen.add(answer.status_code)

    assert seen == {400, 502}  # 502: it went through, and there is nobody at that address


def some_of(cases: list[tuple[Path, Any]]) -> Iterator[tuple[Path, Any]]:
    """A few hundred, always the same."""
    yield from random.Random(7).sample(cases, min(400, len(cases)))
