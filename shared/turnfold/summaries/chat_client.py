"""Summaries by anything that answers chat messages."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from turnfold.errors import SummarizerTransient
from turnfold.jsonio import is_object
from turnfold.summaries.prompt import chat_prompt, prompt_version
from turnfold.summaries.summarizer import SummaryReply, SummaryRequest


@runtime_checkable
class SupportsChatGetResponse(Protocol):
    """A chat client: `get_response` takes messages and returns a reply with a `text`, a mapping, or a string."""

    async def get_response(self, messages: Any, *, options: Any = None) -> Any: ...


class ChatClientSummarizer:
    """Asks a chat client; whatever the client raises counts as a failure that may pass."""

    name = "client"

    def __init__(self, client: SupportsChatGetResponse) -> None:
        self._client = client

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        options = {"model": request.model} if request.model else None
        try:
            answer = await self._client.get_response(chat_prompt(request), options=options)
        except Exception as error:
            raise SummarizerTransient(f"the client failed: {type(error).__name__}: {error}") from error
        version = prompt_version(request.prompt)
        return SummaryReply(text=_text_of(answer), model=_model_of(answer), prompt_version=version)


def _text_of(answer: Any) -> str:
    if isinstance(answer, str):
        return answer
    if is_object(answer):
        return str(answer.get("content") or answer.get("text") or "")
    return str(getattr(answer, "text", "") or "")


def _model_of(answer: Any) -> str:
    return str(getattr(answer, "model_id", None) or getattr(answer, "model", None) or "client")
