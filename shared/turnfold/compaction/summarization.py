"""Replaces old groups by a summary that a model writes."""

from __future__ import annotations

import secrets
from typing import Any

from turnfold.compaction.run import DEFERRED, Action, CompactionRun
from turnfold.compaction.selection import Selection, originals, select
from turnfold.compaction.strategy import CompactionStrategy, at_least, given_floor, given_once
from turnfold.compaction.summary_group import summary_group
from turnfold.errors import SummarizerError
from turnfold.groups import MessageGroup
from turnfold.index import MessageIndex
from turnfold.messages import Message
from turnfold.summaries.attempt import summarize
from turnfold.summaries.clients import as_summarizer
from turnfold.summaries.completed import completed, wanted_from
from turnfold.summaries.extractive import ExtractiveSummarizer
from turnfold.summaries.prompt import prompt_cost
from turnfold.summaries.quality_gate import SUMMARY_MARK
from turnfold.summaries.summarizer import Summarizer, SummaryRequest
from turnfold.summaries.transcript import as_counted, entries
from turnfold.tokens import TokenizerProtocol
from turnfold.triggers import CompactionTrigger, CountsView, NonSystemExceed, Not

MESSAGES = "non_system_messages"
SMALLEST_SUMMARY_TOKENS = 64


class SummarizationStrategy(CompactionStrategy):
    """Folds the oldest groups into one summary group at their place.

    In place it makes one call, and `max_summary_input_tokens` ends the selection. In a run that defers, it plans and
    hides nothing: a worker does the work.

    Args:
        client: what writes: a summarizer, an OpenAI client, or anything with `get_response`; None: the run's.
        trigger, target, minimum_preserved: when to start, when to stop, how many of the newest groups stay (4).
        minimum_preserved_groups: another name of `minimum_preserved`.
        target_count, threshold: shorthand: start above `target_count + threshold` non-system messages, fold until
            `target_count` are left; the group that would leave fewer is kept.
        prompt, model: in place of the default instruction, and of the summarizer's model.
        max_summary_input_tokens: what a call may read, prompt included; None: no bound.
        summary_ratio: what a summary should cost, as a share of its sources; at least 64 tokens.
        min_source_tokens: a deferred job with less to fold waits.
        fallback: `extractive` or `none`: what to do when the model's replies are not good enough.
        tokenizer: counts the input, in place of the index's.
    """

    name = "summarization"

    def __init__(
        self,
        *,
        client: Any = None,
        trigger: CompactionTrigger | None = None,
        target: CompactionTrigger | None = None,
        minimum_preserved: int | None = None,
        minimum_preserved_groups: int | None = None,
        target_count: int | None = None,
        threshold: int | None = None,
        prompt: str | None = None,
        model: str | None = None,
        max_summary_input_tokens: int | None = 8000,
        summary_ratio: float = 0.1,
        min_source_tokens: int = 1000,
        fallback: str | None = None,
        tokenizer: TokenizerProtocol | None = None,
    ) -> None:
        given_once("target_count", target_count, trigger)
        self.client, self.tokenizer, self.prompt, self.model = client, tokenizer, prompt, model
        self.target_is_stated = target is not None or target_count is not None
        self.keeps_messages = _checked_counts(target_count, threshold, trigger)
        count, more = self.keeps_messages or (0, 0)
        self.trigger: CompactionTrigger = trigger or NonSystemExceed(count + more, MESSAGES)
        self.target: CompactionTrigger = target or Not(trigger or NonSystemExceed(count, MESSAGES))
        floor = 4 if target_count is None else min(4, target_count)
        given = given_floor(minimum_preserved, minimum_preserved_groups=minimum_preserved_groups)
        self.minimum_preserved = floor if given is None else given
        self.max_summary_input_tokens = max_summary_input_tokens
        self.summary_ratio, self.min_source_tokens, self.fallback = summary_ratio, min_source_tokens, fallback
        self._check_numbers()

    def is_due(self, index: MessageIndex | CountsView) -> bool:
        """Whether the trigger holds, read off the included counts."""
        return index.included.non_system_groups > 1 and self.trigger(index)

    async def compact(self, index: MessageIndex, run: CompactionRun | None = None) -> bool:
        run = run or CompactionRun()
        before = index.included.tokens
        view = CountsView(index.live, index.overhead_tokens) if run.deferred else index
        triggered, changed, reason = self.is_due(view), False, None
        if triggered and run.deferred:
            reason = DEFERRED
        elif triggered:
            changed, reason = await self._fold(index, run)
        run.actions.append(Action(self.name, triggered, changed, before, index.included.tokens, reason))
        return changed

    def select(self, index: MessageIndex, *, bounded: bool, target: CompactionTrigger | None = None) -> Selection:
        """The groups to fold; `bounded` ends the selection where a single call's input would be full."""
        spent = self._input_tokens(index, prompt_cost(self.prompt))

        def may_take(index: MessageIndex, group: MessageGroup) -> bool:
            nonlocal spent
            if self.keeps_messages and target is None and self._would_leave_too_few(index, group):
                return False
            if not bounded or self.max_summary_input_tokens is None:
                return True
            spent += sum(self._input_tokens(index, as_counted(entry)) for entry in self._entries(index, group))
            return spent <= self.max_summary_input_tokens

        return select(index, floor=self.minimum_preserved, target=target or self.target, may_take=may_take)

    def request(self, index: MessageIndex, groups: tuple[MessageGroup, ...]) -> SummaryRequest:
        """What the summarizer is asked for these groups."""
        source_tokens = sum(group.token_count for group in groups)
        wanted = max(SMALLEST_SUMMARY_TOKENS, int(source_tokens * self.summary_ratio))
        return SummaryRequest(
            messages=[m for group in groups if not group.durable for m in originals(index, group)],
            earlier=[_unmarked(m) for group in groups if group.durable for m in group.messages],
            source_tokens=source_tokens,
            max_tokens=max(1, min(wanted, source_tokens - 1)),
            count_tokens=lambda text: index.measure(Message(role="assistant", content=text))[0],
            prompt=self.prompt,
            model=self.model,
            max_result_chars=self.max_result_chars,
        )

    @property
    def max_result_chars(self) -> int | None:
        """How much of a tool result a transcript shows, so that one huge result can't block a session for ever."""
        return None if self.max_summary_input_tokens is None else max(200, self.max_summary_input_tokens)

    def fallback_summarizer(self, default: str) -> Summarizer | None:
        """What writes when the model's replies don't pass; `default` is what the place of work falls back to."""
        return ExtractiveSummarizer() if (self.fallback or default) == "extractive" else None

    async def _fold(self, index: MessageIndex, run: CompactionRun) -> tuple[bool, str | None]:
        summarizer = as_summarizer(self.client) if self.client is not None else run.summarizer
        if summarizer is None:
            return False, "no summarizer: give the strategy a client, or the run a summarizer"
        selection = self.select(index, bounded=True)
        if not selection.groups:
            return False, selection.reason
        request = self.request(index, selection.groups)
        try:
            fallback = self.fallback_summarizer(run.fallback)
            reply = completed(await summarize(wanted_from(request), summarizer, fallback=fallback), request)
        except SummarizerError as error:
            return False, error.detail
        made = summary_group(index, selection.groups, reply, summary_id=f"summary-{secrets.token_hex(8)}")
        index.replace(selection.groups, made, self.name)
        return True, None

    def _entries(self, index: MessageIndex, group: MessageGroup) -> list[str]:
        return entries(originals(index, group), self.max_result_chars)

    def _input_tokens(self, index: MessageIndex, text: str) -> int:
        return (self.tokenizer or index.tokenizer).count_tokens(text)

    def _would_leave_too_few(self, index: MessageIndex, group: MessageGroup) -> bool:
        count, _ = self.keeps_messages or (0, 0)
        return index.included.non_system_messages - group.message_count < count

    def _check_numbers(self) -> None:
        if self.max_summary_input_tokens is not None:
            at_least("max_summary_input_tokens", self.max_summary_input_tokens, 1)
        at_least("min_source_tokens", self.min_source_tokens, 0)
        if isinstance(self.summary_ratio, bool) or not 0 < self.summary_ratio < 1:
            raise ValueError(f"summary_ratio: must be between 0 and 1, not {self.summary_ratio!r}")
        if self.fallback not in (None, "none", "extractive"):
            raise ValueError(f"fallback: must be extractive or none, not {self.fallback!r}")


def _checked_counts(
    target_count: int | None, threshold: int | None, trigger: CompactionTrigger | None
) -> tuple[int, int] | None:
    """`target_count` and `threshold` with their defaults; None where a trigger says when to start."""
    if trigger is not None:
        if threshold is not None:
            raise ValueError("threshold: goes with target_count; beside a trigger give a target")
        return None
    count, more = 4 if target_count is None else target_count, 2 if threshold is None else threshold
    at_least("target_count", count, 1)
    at_least("threshold", more, 0)
    return count, more


def _unmarked(message: Message) -> str:
    return message.text.removeprefix(SUMMARY_MARK).strip()
