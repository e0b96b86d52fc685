"""Summaries by any server that speaks OpenAI's Chat Completions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Literal

from turnfold.errors import FailureKind, SummarizerRefused, SummarizerTransient
from turnfold.messages import content_text
from turnfold.summaries.prompt import chat_prompt, prompt_version
from turnfold.summaries.structured import RESPONSE_FORMAT, as_prose
from turnfold.summaries.summarizer import SummaryReply, SummaryRequest

if TYPE_CHECKING:
    from openai import AsyncOpenAI

MaxTokensField = Literal["max_completion_tokens", "max_tokens"]
# Room above what was asked for: models miss the length they are told, and a reply cut off is of no use.
SPARE_FACTOR = 4
LEAST_REPLY_TOKENS = 1024


class OpenAISummarizer:
    """Asks a model. Built without a network; the client is made by whoever owns its life.

    Args:
        client: an `openai.AsyncOpenAI`, its own retries off: tries are counted by the caller.
        model: the model's name, for requests that name none.
        max_tokens_field: the name under which the server knows the reply's limit.
        fallback_model: asked on the same server when the first model's replies are no good.
        structured: the model answers by a JSON schema; only where it is known that it can.
        allowed: which models a request may name; for one that names another, `model` writes.
    """

    name = "openai"

    def __init__(
        self,
        client: AsyncOpenAI,
        *,
        model: str,
        max_tokens_field: MaxTokensField = "max_completion_tokens",
        fallback_model: str | None = None,
        structured: bool = False,
        allowed: Callable[[str | None], bool] | None = None,
    ) -> None:
        self._allowed = allowed
        self._client, self._model, self._field = client, model, max_tokens_field
        self.fallback_model, self._structured = fallback_model, structured

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        import openai  # 0.4 s and 30 MB, only where a model is called

        model = self.model_of(request)
        if not model:
            raise SummarizerRefused("no model is named: by the request, the summarizer or OPENAI_MODEL")
        limit = max(LEAST_REPLY_TOKENS, SPARE_FACTOR * request.max_tokens)
        options: dict[str, Any] = {self._field: limit}
        # With a prompt of one's own the reply's form is the prompt's.
        structured = self._structured and request.prompt is None
        if structured:
            options["response_format"] = RESPONSE_FORMAT
        create: Any = self._client.chat.completions.create  # its types know no field that is named at run time
        try:
            completion = await create(model=model, messages=chat_prompt(request), **options)
        except openai.APIStatusError as error:
            raise _status_error(error) from error
        except openai.APIConnectionError as error:  # time-outs are among these
            detail = f"the model could not be reached: {type(error).__name__}"
            raise SummarizerTransient(detail, kind=_kind_of(error)) from error
        except ValueError as error:  # an answer that was cut off on its way
            raise SummarizerTransient("the model's answer is not JSON") from error
        reply = _reply(completion, model, prompt_version(request.prompt))
        return replace(reply, text=as_prose(reply.text)) if structured else reply

    def model_of(self, request: SummaryRequest) -> str | None:
        """The model that is asked for this."""
        return self._named_by(request) or self._model

    def _named_by(self, request: SummaryRequest) -> str | None:
        """The request's model, where it is allowed: the policy may be older than what is."""
        return request.model if self._allowed is None or self._allowed(request.model) else None


def _reply(completion: Any, model: str, version: str) -> SummaryReply:
    """The answer as it came: servers leave out what the client's types promise, or send a page of HTML."""
    choices = getattr(completion, "choices", None)
    if not choices or not choices[0].message:
        raise SummarizerRefused("the model's answer has no choices")
    choice, usage = choices[0], completion.usage
    if choice.finish_reason == "content_filter":
        raise SummarizerRefused("the content filter stopped the model's answer")
    return SummaryReply(
        text=content_text(choice.message.content),
        model=completion.model or model,
        prompt_version=version,
        prompt_tokens=(usage.prompt_tokens or 0) if usage else 0,
        completion_tokens=(usage.completion_tokens or 0) if usage else 0,
        finish_reason=choice.finish_reason or "stop",
        refusal=choice.message.refusal,
    )


def _status_error(error: Any) -> SummarizerTransient | SummarizerRefused:
    """429, 408, 409 and 5xx may pass; anything else would end the same way again."""
    status = int(error.status_code)
    detail = f"the model answered {status}"
    if status in (408, 409, 429) or status >= 500:
        kind = FailureKind.RATE_LIMITED if status == 429 else FailureKind.BROKEN
        return SummarizerTransient(detail, retry_after_seconds=_retry_after(error), kind=kind)
    return SummarizerRefused(detail)


def _kind_of(error: Exception) -> FailureKind:
    """A connection that never came about cost nothing; one that broke, or took too long, may have."""
    # By name: its module is another one from release to release of the client.
    cause = type(error.__cause__).__name__
    if cause in ("ConnectError", "ConnectTimeout"):
        return FailureKind.UNREACHABLE
    return FailureKind.TIMED_OUT if cause.endswith("Timeout") else FailureKind.BROKEN


def _retry_after(error: Any) -> float | None:
    """Seconds that the server asks for: it may give a number or a date."""
    value = str(error.response.headers.get("retry-after", ""))
    try:
        seconds = float(value) if value.replace(".", "", 1).isdigit() else _seconds_until(value)
    except ValueError:
        return None
    return max(0.0, seconds)


def _seconds_until(date: str) -> float:
    return (parsedate_to_datetime(date) - datetime.now(UTC)).total_seconds()
