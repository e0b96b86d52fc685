"""Summaries by any server that speaks OpenAI's Chat Completions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from turnfold.errors import SummarizerRefused, SummarizerTransient
from turnfold.summaries.prompt import PROMPT_VERSION, chat_prompt
from turnfold.summaries.summarizer import SummaryReply, SummaryRequest

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types.chat import ChatCompletion

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
    """

    name = "openai"

    def __init__(
        self, client: AsyncOpenAI, *, model: str, max_tokens_field: MaxTokensField = "max_completion_tokens"
    ) -> None:
        self._client, self._model, self._field = client, model, max_tokens_field

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        import openai  # 0.4 s and 30 MB, only where a model is called

        limit = max(LEAST_REPLY_TOKENS, SPARE_FACTOR * request.max_tokens)
        messages: Any = chat_prompt(request)
        try:
            completion = await self._client.chat.completions.create(
                model=request.model or self._model, messages=messages, **{self._field: limit}
            )
        except openai.APIStatusError as error:
            raise _status_error(error) from error
        except openai.APIConnectionError as error:  # time-outs are among these
            raise SummarizerTransient(f"the model could not be reached: {type(error).__name__}") from error
        return _reply(completion)


def _reply(completion: ChatCompletion) -> SummaryReply:
    if not completion.choices:
        raise SummarizerRefused("the model's answer has no choices")
    choice, usage = completion.choices[0], completion.usage
    return SummaryReply(
        text=choice.message.content or "",
        model=completion.model,
        prompt_version=PROMPT_VERSION,
        prompt_tokens=usage.prompt_tokens if usage else 0,
        completion_tokens=usage.completion_tokens if usage else 0,
        finish_reason=choice.finish_reason or "stop",
        refusal=choice.message.refusal,
    )


def _status_error(error: Any) -> SummarizerTransient | SummarizerRefused:
    """429, 408, 409 and 5xx may pass; anything else would end the same way again."""
    status = int(error.status_code)
    detail = f"the model answered {status}"
    if status in (408, 409, 429) or status >= 500:
        return SummarizerTransient(detail, retry_after_seconds=_retry_after(error))
    return SummarizerRefused(detail)


def _retry_after(error: Any) -> float | None:
    value = error.response.headers.get("retry-after")
    try:
        return None if value is None else max(0.0, float(value))
    except ValueError:
        return None
