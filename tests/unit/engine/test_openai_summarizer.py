"""Summaries by a server that speaks OpenAI's Chat Completions, and by other clients."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpx2
import openai
import pytest

from tests.unit.engine.asking import request_for
from tests.unit.engine.talk import user
from turnfold.errors import FailureKind, SummarizerRefused, SummarizerTransient
from turnfold.summaries.chat_client import ChatClientSummarizer
from turnfold.summaries.clients import as_summarizer
from turnfold.summaries.extractive import ExtractiveSummarizer
from turnfold.summaries.openai import OpenAISummarizer
from turnfold.summaries.summarizer import Summarizer

REQUEST = request_for([user("Where is crate DK-99812? " * 40)], max_tokens=100)
ANSWER = {
    "id": "1",
    "object": "chat.completion",
    "created": 1,
    "model": "small-2026",
    "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "It is in Esbjerg."}}
    ],
    "usage": {"prompt_tokens": 30, "completion_tokens": 5, "total_tokens": 35},
}


class Server:
    """Answers as told and remembers the bodies it was sent."""

    def __init__(self, answer: httpx2.Response | Callable[[httpx2.Request], httpx2.Response] | None = None) -> None:
        self.bodies: list[dict[str, Any]] = []
        self._answer = answer or httpx2.Response(200, json=ANSWER)

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.bodies.append(json.loads(request.content))
        return self._answer if isinstance(self._answer, httpx2.Response) else self._answer(request)

    @property
    def client(self) -> openai.AsyncOpenAI:
        http = httpx2.AsyncClient(transport=httpx2.MockTransport(self))
        return openai.AsyncOpenAI(api_key="k", base_url="http://model.test/v1", max_retries=0, http_client=http)

    def summarizer(self, **options: Any) -> OpenAISummarizer:
        given: dict[str, Any] = {"model": "small", **options}
        return OpenAISummarizer(self.client, **given)


@pytest.mark.parametrize(("named", "asked"), [("cheap", "cheap"), ("dear", "small"), (None, "small")])
async def test_for_a_request_by_a_model_that_is_not_allowed_its_own_writes(named: str | None, asked: str) -> None:
    server = Server()

    await server.summarizer(allowed={"cheap"}.__contains__).summarize(replace(REQUEST, model=named))

    assert server.bodies[0]["model"] == asked


def changed(**choice: Any) -> httpx2.Response:
    return httpx2.Response(200, json=ANSWER | {"choices": [ANSWER["choices"][0] | choice]})  # type: ignore[index]  # a literal


async def test_the_reply_comes_with_its_provenance_and_cost() -> None:
    reply = await Server().summarizer().summarize(REQUEST)

    assert (reply.text, reply.model, reply.finish_reason) == ("It is in Esbjerg.", "small-2026", "stop")
    assert (reply.prompt_tokens, reply.completion_tokens) == (30, 5)
    assert reply.prompt_version


async def test_the_prompt_and_the_model_are_sent_with_room_above_the_length_asked_for() -> None:
    server = Server()

    await server.summarizer().summarize(REQUEST)

    (body,) = server.bodies
    assert body["model"] == "small"
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert "DK-99812" in body["messages"][1]["content"]
    assert body["max_completion_tokens"] >= 4 * REQUEST.max_tokens
    assert "max_tokens" not in body


async def test_servers_that_know_only_max_tokens_are_asked_in_their_words() -> None:
    server = Server()

    await server.summarizer(max_tokens_field="max_tokens").summarize(REQUEST)

    assert "max_tokens" in server.bodies[0]
    assert "max_completion_tokens" not in server.bodies[0]


async def test_the_requests_model_goes_before_the_summarizers() -> None:
    server = Server()

    await server.summarizer().summarize(request_for([user()], model="large"))

    assert server.bodies[0]["model"] == "large"


async def test_without_a_models_name_nobody_is_asked() -> None:
    server = Server()

    with pytest.raises(SummarizerRefused, match="OPENAI_MODEL"):
        await server.summarizer(model="").summarize(REQUEST)

    assert server.bodies == []


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
async def test_a_server_that_is_busy_or_broken_may_answer_later(status: int) -> None:
    with pytest.raises(SummarizerTransient, match=str(status)):
        await Server(httpx2.Response(status, json={})).summarizer().summarize(REQUEST)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
async def test_a_request_that_is_refused_would_be_refused_again(status: int) -> None:
    with pytest.raises(SummarizerRefused, match=str(status)):
        await Server(httpx2.Response(status, json={})).summarizer().summarize(REQUEST)


@pytest.mark.parametrize(
    ("header", "seconds"), [("7", 7.0), ("0.5", 0.5), ("soon", None), ("-3", None), ("", None), (None, None)]
)
async def test_the_wait_that_the_server_asks_for_is_handed_on(header: str | None, seconds: float | None) -> None:
    headers = {} if header is None else {"Retry-After": header}

    with pytest.raises(SummarizerTransient) as caught:
        await Server(httpx2.Response(429, json={}, headers=headers)).summarizer().summarize(REQUEST)

    assert caught.value.retry_after_seconds == seconds


async def test_the_wait_may_be_a_date() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)

    with pytest.raises(SummarizerTransient) as caught:
        await Server(httpx2.Response(503, json={}, headers={"Retry-After": later})).summarizer().summarize(REQUEST)

    assert 50 < (caught.value.retry_after_seconds or 0) <= 60


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (httpx2.ConnectError("refused"), FailureKind.UNREACHABLE),
        (httpx2.ConnectTimeout("no answer"), FailureKind.UNREACHABLE),
        (httpx2.ReadTimeout("too slow"), FailureKind.TIMED_OUT),
        (httpx2.RemoteProtocolError("broke off"), FailureKind.BROKEN),
    ],
)
async def test_a_server_out_of_reach_may_answer_later(failure: Exception, kind: FailureKind) -> None:
    def fail(_request: httpx2.Request) -> httpx2.Response:
        raise failure

    with pytest.raises(SummarizerTransient, match="could not be reached") as caught:
        await Server(fail).summarizer().summarize(REQUEST)

    assert caught.value.kind is kind


@pytest.mark.parametrize(
    "answer",
    [
        httpx2.Response(200, json={}),
        httpx2.Response(200, json={"choices": []}),
        httpx2.Response(200, json={"choices": None}),
        httpx2.Response(200, json={"choices": [{"index": 0, "message": None}]}),
        httpx2.Response(200, text="<html>Sign in</html>", headers={"Content-Type": "text/html"}),
    ],
)
async def test_an_answer_without_choices_is_of_no_use(answer: httpx2.Response) -> None:
    with pytest.raises(SummarizerRefused, match="choices"):
        await Server(answer).summarizer().summarize(REQUEST)


async def test_an_answer_that_broke_off_may_come_whole_later() -> None:
    answer = httpx2.Response(200, text='{"choices": [', headers={"Content-Type": "application/json"})

    with pytest.raises(SummarizerTransient, match="JSON"):
        await Server(answer).summarizer().summarize(REQUEST)


async def test_a_content_filter_would_stop_the_next_answer_too() -> None:
    with pytest.raises(SummarizerRefused, match="content filter"):
        await Server(changed(finish_reason="content_filter")).summarizer().summarize(REQUEST)


async def test_refusal_and_finish_reason_are_handed_to_the_quality_gate() -> None:
    message = {"role": "assistant", "content": None, "refusal": "I won't."}

    reply = await Server(changed(message=message, finish_reason="length")).summarizer().summarize(REQUEST)

    assert (reply.text, reply.refusal, reply.finish_reason) == ("", "I won't.", "length")


async def test_servers_may_leave_usage_model_and_finish_reason_out() -> None:
    answer = {"choices": [{"message": {"content": "It is in Esbjerg."}}]}

    reply = await Server(httpx2.Response(200, json=answer)).summarizer().summarize(REQUEST)

    assert (reply.text, reply.model, reply.prompt_tokens, reply.finish_reason) == (
        "It is in Esbjerg.",
        "small",
        0,
        "stop",
    )


class Client:
    """A chat client as agents have it."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked: list[tuple[Any, Any]] = []

    async def get_response(self, messages: Any, *, options: Any = None) -> Any:
        self.asked.append((messages, options))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class Answer:
    text = "It is in Esbjerg."
    model_id = "small"


@pytest.mark.parametrize(
    "answer", [Answer(), "It is in Esbjerg.", {"content": "It is in Esbjerg."}, {"text": "It is in Esbjerg."}]
)
async def test_a_chat_client_may_answer_with_an_object_a_mapping_or_a_string(answer: Any) -> None:
    assert (await ChatClientSummarizer(Client(answer)).summarize(REQUEST)).text == "It is in Esbjerg."


async def test_a_chat_client_is_sent_the_prompt_and_the_requests_model() -> None:
    client = Client(Answer())

    reply = await ChatClientSummarizer(client).summarize(request_for([user("DK-99812")], model="large"))

    ((messages, options),) = client.asked
    assert "DK-99812" in messages[1]["content"]
    assert options == {"model": "large"}
    assert reply.model == "small"


async def test_whatever_a_chat_client_raises_may_pass() -> None:
    with pytest.raises(SummarizerTransient, match="KeyError"):
        await ChatClientSummarizer(Client(KeyError("x"))).summarize(REQUEST)


def test_a_summarizer_is_made_of_whatever_the_caller_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_MODEL", "small")
    extractive = ExtractiveSummarizer()

    assert as_summarizer(extractive) is extractive
    assert isinstance(as_summarizer(Client("x")), ChatClientSummarizer)
    assert isinstance(as_summarizer(Server().client), OpenAISummarizer)
    assert isinstance(as_summarizer(Server().client), Summarizer)


async def test_the_model_of_a_bare_client_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_MODEL", "from-the-environment")
    server = Server()

    await as_summarizer(server.client).summarize(REQUEST)

    assert server.bodies[0]["model"] == "from-the-environment"
