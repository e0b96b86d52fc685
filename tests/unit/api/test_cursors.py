from __future__ import annotations

import httpx
import pytest

from tests.unit.api.chat import append, problem
from turnfold.errors import BadInput
from turnfold_api.cursors import decode_cursor, encode_cursor


@pytest.mark.parametrize("name", ["a", "", "é 🎈?&=+", "x" * 256])
def test_a_cursor_is_read_as_it_was_made(name: str) -> None:
    text = encode_cursor(1_790_000_000_000, name)

    assert decode_cursor(text) == (1_790_000_000_000, name)
    assert text.replace("-", "").replace("_", "").isalnum()


@pytest.mark.parametrize("text", [None, ""])
def test_no_cursor_is_the_beginning(text: str | None) -> None:
    assert decode_cursor(text) is None


BAD = ["x", "!!!", "é", "W10", "eyJhIjoxfQ", "WzEsMl0", "W3RydWUsImEiXQ", "Wy0xLCJhIl0", "WzFlMzAwLCJhIl0"]
OUT_OF_RANGE = ["WzEsIlx1ZDgwMCJd", "WzEyMzQ1Njc4OTAxMjM0NTY3ODkwLCJhIl0", "W1tbW1tb"]


@pytest.mark.parametrize("text", [*BAD, *OUT_OF_RANGE])
def test_what_is_no_cursor_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match=r"^cursor: "):
        decode_cursor(text)


@pytest.mark.parametrize("url", ["/v1/sessions", "/v1/jobs", "/v1/sessions/a/groups"])
async def test_every_list_refuses_what_is_no_cursor(client: httpx.AsyncClient, url: str) -> None:
    await append(client, "a", 1)

    answer = await client.get(url, params={"cursor": "nonsense"})

    assert problem(answer, 422, "invalid-input")["errors"][0]["path"] == "cursor"
