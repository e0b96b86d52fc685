"""What a summarizer is: a request made of whole messages in, a text with its provenance out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from turnfold.messages import Message
from turnfold.summaries.pin import Pin


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRequest:
    """All that a summarizer may use.

    Attributes:
        messages: the messages to fold, oldest first, in Chat Completions form; earlier summaries are not among them.
        earlier: texts of the earlier summaries among the sources, oldest first, without their `[Summary]` mark.
        source_tokens: tokens of all that the summary will replace.
        max_tokens: what the summary should cost at most, in the same counter.
        prose_tokens: what a model is asked for, where a ledger will stand beside its text; None: `max_tokens`.
        count_tokens: that counter.
        prompt: instruction in place of the default one.
        model: model in place of the summarizer's own.
        max_result_chars: how much of the results of one message's calls a transcript shows; None: all.
        stricter: the last reply was refused by the quality gate; ask more firmly.
        pins: what the summary must hold to the letter.
        has_marks: some values are redacted; marks stand for them.
    """

    messages: Sequence[Message]
    earlier: Sequence[str] = ()
    source_tokens: int
    max_tokens: int
    count_tokens: Callable[[str], int]
    prompt: str | None = None
    model: str | None = None
    max_result_chars: int | None = None
    stricter: bool = False
    pins: Sequence[Pin] = ()
    prose_tokens: int | None = None
    has_marks: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryReply:
    """A summarizer's answer, before the quality gate has seen it.

    Attributes:
        text: the summary, without the `[Summary]` mark.
        model: what wrote it: a model's name, or `extractive`.
        prompt_version: version of the prompt that was used, None where there is none.
        prompt_tokens, completion_tokens: as reported by the provider, 0 where nothing was paid.
        finish_reason: the provider's reason, `stop` where there is none.
        refusal: the provider's refusal, if it sent one.
        degraded: made by a fallback; to be made again when the real summarizer is back.
        rejections: why replies before this one were refused, in order.
    """

    text: str
    model: str
    prompt_version: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    finish_reason: str = "stop"
    refusal: str | None = None
    degraded: bool = False
    rejections: tuple[str, ...] = field(default=())

    @property
    def is_extractive(self) -> bool:
        """Quoted by rule: no model was asked, so none has said anything of its own."""
        return self.model == "extractive" and self.prompt_version is None


@runtime_checkable
class Summarizer(Protocol):
    """Anything that folds messages into a text."""

    @property
    def name(self) -> str:
        """What is told in reports: `openai`, `extractive`."""
        ...

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        """Folds the request's messages.

        Raises:
            SummarizerTransient: it may succeed later (time-out, 429, 5xx, connection).
            SummarizerRefused: it won't (400, 401, content filter, no model).
        """
        ...


@runtime_checkable
class NamesModel(Protocol):
    """A summarizer that tells which model it would ask."""

    def model_of(self, request: SummaryRequest) -> str | None: ...


@runtime_checkable
class HasFallbackModel(Protocol):
    """A summarizer that knows a second model, to be asked when the first one's replies are no good."""

    @property
    def fallback_model(self) -> str | None: ...
