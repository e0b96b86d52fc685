"""A path that does not decode is refused: taken half, it would name another session."""

from __future__ import annotations

import httpx
import pytest

from tests.unit.api.chat import chat, problem

BROKEN = ["%ff", "%c3%28", "a%ffb", "%ed%a0%80", "%", "%2", "%zz", "%%34", "caf%E9"]
WHOLE = ["%C3%A9", "%f0%9f%8e%88", "%25ff", "a%20b", "%25", "+", "a%3Ab"]


@pytest.mark.parametrize("session", BROKEN)
@pytest.mark.parametrize("path", ["/v1/sessions/{}", "/v1/sessions/{}/messages", "/v1/jobs/{}", "/s/{}/v1/models"])
async def test_an_id_that_is_not_percent_encoded_utf_8_is_refused(
    client: httpx.AsyncClient, session: str, path: str
) -> None:
    url = raw(client, path.format(session))

    for answer in (await client.get(url), await client.post(url, json={"messages": chat(1)})):
        assert "percent-encoded UTF-8" in problem(answer, 400, "malformed-path")["detail"]


@pytest.mark.parametrize("session", WHOLE)
async def test_any_other_id_is_its_own_session(client: httpx.AsyncClient, session: str) -> None:
    url = raw(client, f"/v1/sessions/{session}/messages")

    assert (await client.post(url, json={"messages": chat(1)})).json()["first"] == 1
    assert len((await client.get(url)).json()["messages"]) == 1


def raw(client: httpx.AsyncClient, path: str) -> httpx.URL:
    """The path as it is; httpx would encode what is broken in it."""
    return client.base_url.copy_with(raw_path=path.encode())
