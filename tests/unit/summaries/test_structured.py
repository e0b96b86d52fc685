"""Replies by a JSON schema: asked for only where a setting says so."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import openai
import pytest

from tests.unit.summaries.talks import request_of, talk
from turnfold.settings import Settings
from turnfold.summaries.openai import OpenAISummarizer
from turnfold.summaries.structured import as_prose

REQUEST = request_of(talk("user: Order W-20417 goes to Galway.", "assistant: Noted, the postage is 6.40 euro."))
BY_SCHEMA = {
    "overview": "A parcel is redirected.",
    "facts": ["order W-20417", "postage 6.40 euro"],
    "decisions": [],
    "preferences": ["no courier at noon"],
    "tool_results": [],
    "open_tasks": ["  "],
}
PROSE = """\
A parcel is redirected.
Facts:
- order W-20417
- postage 6.40 euro
Preferences:
- no courier at noon"""


async def asked(content: str, **options: Any) -> tuple[list[Any], str]:
    """The bodies that were sent, and the text of the reply."""
    bodies: list[Any] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        bodies.append(json.loads(request.content))
        return httpx2.Response(200, json={"choices": [{"message": {"content": content}}], "model": "m"})

    http = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
    client = openai.AsyncOpenAI(api_key="k", base_url="http://model.test/v1", max_retries=0, http_client=http)
    prompt = options.pop("prompt", None)
    summarizer = OpenAISummarizer(client, model="m", **options)
    request = request_of(REQUEST.messages, prompt=prompt)
    return bodies, (await summarizer.summarize(request)).text


async def test_without_the_setting_no_schema_is_sent_and_the_reply_is_taken_as_it_is() -> None:
    bodies, text = await asked(json.dumps(BY_SCHEMA))

    assert "response_format" not in bodies[0]
    assert json.loads(text) == BY_SCHEMA


async def test_with_it_the_schema_is_sent_once_and_the_reply_becomes_a_text_with_sections() -> None:
    bodies, text = await asked(json.dumps(BY_SCHEMA), structured=True)

    assert len(bodies) == 1
    assert bodies[0]["response_format"]["type"] == "json_schema"
    assert bodies[0]["response_format"]["json_schema"]["strict"] is True
    assert text == PROSE


async def test_a_plain_text_reply_goes_to_the_gate_as_it_is_and_nobody_is_asked_again() -> None:
    bodies, text = await asked("Order W-20417 goes to Galway.", structured=True)

    assert (len(bodies), text) == (1, "Order W-20417 goes to Galway.")


async def test_with_a_prompt_of_ones_own_the_form_is_the_prompts() -> None:
    bodies, _ = await asked("W-20417", structured=True, prompt="Only ids.")

    assert "response_format" not in bodies[0]


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"name": "x"}', "null", '"facts"'])
def test_what_is_not_by_the_schema_is_left_alone(text: str) -> None:
    assert as_prose(text) == text


def test_it_is_off_unless_set(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Settings().summary_structured_output is False
    monkeypatch.setenv("TURNFOLD_SUMMARY_STRUCTURED_OUTPUT", "true")
    assert Settings().summary_structured_output is True
