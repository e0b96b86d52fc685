"""A backlog larger than one call may read: in parts, side by side, then merged."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from turnfold.errors import SummarizerError
from turnfold.summaries.attempt import summarize
from turnfold.summaries.cut_message import cut_text
from turnfold.summaries.parts_of import Part, parts_of
from turnfold.summaries.prompt import prompt_cost
from turnfold.summaries.stretches import stretches
from turnfold.summaries.summarizer import Summarizer, SummaryReply, SummaryRequest
from turnfold.summaries.transcript import as_counted, earlier_entries, entries

# So many parts are asked for at once.
PARALLEL = 4
# What the summary of a part may cost at least; a part that costs no more is its own summary.
SMALLEST_PART_TOKENS = 64
# What an entry costs beside its text at most.
HEAD_TOKENS = 16
# Where the prompt leaves no room, a call reads so much all the same.
LEAST_ROOM_TOKENS = 128


class Keeping(Protocol):
    """Where replies to parts are kept, so that a part that fails costs no other a second call."""

    async def kept(self, request: SummaryRequest) -> SummaryReply | None: ...

    async def keep(self, request: SummaryRequest, reply: SummaryReply) -> None: ...


async def summarize_in_parts(
    request: SummaryRequest,
    summarizer: Summarizer,
    *,
    max_input_tokens: int | None,
    fallback: Summarizer | None = None,
    keeping: Keeping | None = None,
) -> SummaryReply:
    """As `attempt.summarize`, with no call reading more than `max_input_tokens`.

    A message that is more than a part by itself is read by its head and its tail. The reply is `degraded` where the
    fallback wrote it, or any part that it tells of. What is kept of an earlier try is not asked for again.
    """
    if max_input_tokens is None or summarizer.name == "extractive":  # which reads anything in one go
        return await summarize(request, summarizer, fallback=fallback)
    room = max(LEAST_ROOM_TOKENS, max_input_tokens - request.count_tokens(prompt_cost(request.prompt)))
    before = _cost(request, earlier_entries(request.earlier))
    if before <= room // 2:
        parts = parts_of(request, room - before)
        if len(parts) <= 1:
            whole = replace(request, messages=parts[0].messages if parts else ())
            return await summarize(whole, summarizer, fallback=fallback)
    return await _Merging(request, summarizer, fallback, room, keeping).reply()


@dataclass(slots=True)
class _Merging:
    """Summaries of parts, folded together until one call can read what is left."""

    request: SummaryRequest
    summarizer: Summarizer
    fallback: Summarizer | None
    room: int
    keeping: Keeping | None = None
    replies: list[SummaryReply] = field(default_factory=list[SummaryReply])
    failure: SummarizerError | None = None
    gate: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(PARALLEL))

    async def reply(self) -> SummaryReply:
        parts = parts_of(self.request, self.room)
        texts = [*self.request.earlier, *await self._side_by_side(self._part(part) for part in parts)]
        while len(batches := self._batches(texts)) > 1:
            texts = await self._side_by_side(self._folded(batch) for batch in batches)
        last = await self._ask(replace(self.request, messages=(), earlier=batches[0]))
        return replace(
            last,
            prompt_tokens=sum(reply.prompt_tokens for reply in self.replies),
            completion_tokens=sum(reply.completion_tokens for reply in self.replies),
            degraded=any(reply.degraded for reply in self.replies),
        )

    async def _part(self, part: Part) -> str:
        if part.cost <= SMALLEST_PART_TOKENS:
            return "\n".join(entries(part.messages, self.request.max_result_chars))
        request = replace(self.request, messages=part.messages, earlier=())
        return (await self._ask(self._bounded(request, part.cost))).text

    async def _folded(self, texts: Sequence[str]) -> str:
        """One text from several; a single one is left as it is."""
        if len(texts) == 1:
            return texts[0]
        merged = replace(self.request, messages=(), earlier=texts)
        return (await self._ask(self._bounded(merged, _cost(self.request, texts)))).text

    def _bounded(self, request: SummaryRequest, tokens: int) -> SummaryRequest:
        """Two of the replies fit into the next call.

        `source_tokens` stays the whole's: only the last text must be shorter than its sources, and a part may be so
        small that no summary of it is.
        """
        most = min(request.max_tokens, max(SMALLEST_PART_TOKENS, tokens - 1), self.room // 2 - HEAD_TOKENS)
        return replace(request, max_tokens=max(1, most), prose_tokens=None)

    def _batches(self, texts: Sequence[str]) -> list[list[str]]:
        """The texts in stretches that a call can read, two at least in each but the last."""
        short = [cut_text(text, self.room // 2, self._cost_of_earlier) for text in texts]
        return stretches(short, [self._cost_of_earlier(text) for text in short], self.room)

    def _cost_of_earlier(self, text: str) -> int:
        return _cost(self.request, earlier_entries([text]))

    async def _ask(self, request: SummaryRequest) -> SummaryReply:
        async with self.gate:
            if self.failure is not None:  # nothing more is asked for in vain
                raise self.failure
            try:
                reply = await self._kept_or_asked(request)
            except SummarizerError as error:
                self.failure = error
                raise
        self.replies.append(reply)
        return reply

    async def _side_by_side(self, works: Iterable[Coroutine[None, None, str]]) -> list[str]:
        """The results in order.

        Once one has failed no other begins. Those that were begun may end where they are kept: they are paid.
        """
        tasks = [asyncio.ensure_future(work) for work in works]
        try:
            if self.keeping is not None:
                await asyncio.wait(tasks)
            return list(await asyncio.gather(*tasks))
        finally:
            for task in tasks:
                task.cancel()

    async def _kept_or_asked(self, request: SummaryRequest) -> SummaryReply:
        if self.keeping is None:
            return await summarize(request, self.summarizer, fallback=self.fallback)
        if (kept := await self.keeping.kept(request)) is not None:
            return kept
        reply = await summarize(request, self.summarizer, fallback=self.fallback)
        if not reply.degraded:
            await self.keeping.keep(request, reply)
        return reply


def _cost(request: SummaryRequest, shown: Iterable[str]) -> int:
    """What the entries cost a call."""
    return sum(request.count_tokens(as_counted(entry)) for entry in shown)
