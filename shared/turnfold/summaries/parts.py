"""A backlog larger than one call may read: in parts, side by side, then merged."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from turnfold.messages import Message
from turnfold.summaries.attempt import summarize
from turnfold.summaries.cut_message import cut_message, cut_text
from turnfold.summaries.prompt import prompt_cost
from turnfold.summaries.summarizer import Summarizer, SummaryReply, SummaryRequest
from turnfold.summaries.transcript import as_counted, earlier_entries, entries

# So many parts are asked for at once.
PARALLEL = 4
# What the summary of a part may cost at least.
SMALLEST_PART_TOKENS = 64
# What an entry costs beside its text at most.
HEAD_TOKENS = 16

T = TypeVar("T")


async def summarize_in_parts(
    request: SummaryRequest,
    summarizer: Summarizer,
    *,
    max_input_tokens: int | None,
    fallback: Summarizer | None = None,
) -> SummaryReply:
    """As `attempt.summarize`, with no call reading more than `max_input_tokens`.

    A message that is more than a part by itself is read by its head and its tail.
    """
    if max_input_tokens is None or summarizer.name == "extractive":  # which reads anything in one go
        return await summarize(request, summarizer, fallback=fallback)
    room = max(1, max_input_tokens - request.count_tokens(prompt_cost(request.prompt)))
    before = sum(_costs(earlier_entries(request.earlier), request.count_tokens))
    if before <= room // 2:
        parts = _parts(request, room - before)
        if len(parts) <= 1:
            return await summarize(_fitted(request, room - before), summarizer, fallback=fallback)
    return await _Merging(request, summarizer, fallback, room).reply()


@dataclass(slots=True)
class _Merging:
    """Summaries of parts, folded together until one call can read what is left."""

    request: SummaryRequest
    summarizer: Summarizer
    fallback: Summarizer | None
    room: int
    replies: list[SummaryReply] = field(default_factory=list[SummaryReply])
    gate: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(PARALLEL))

    async def reply(self) -> SummaryReply:
        parts = _parts(self.request, self.room)
        texts = [*self.request.earlier, *await asyncio.gather(*(self._part(part) for part in parts))]
        while len(batches := self._batches(texts)) > 1:
            texts = await asyncio.gather(*(self._folded(batch) for batch in batches))
        last = await self._ask(replace(self.request, messages=(), earlier=batches[0]))
        return replace(
            last,
            prompt_tokens=sum(reply.prompt_tokens for reply in self.replies),
            completion_tokens=sum(reply.completion_tokens for reply in self.replies),
            degraded=any(reply.degraded for reply in self.replies),
        )

    async def _part(self, messages: Sequence[Message]) -> str:
        tokens = sum(_costs(entries(messages), self.request.count_tokens))
        part = replace(self.request, messages=messages, earlier=())
        return (await self._ask(_fitted(self._bounded(part, tokens), self.room))).text

    async def _folded(self, texts: Sequence[str]) -> str:
        """One text from several; a single one is left as it is."""
        if len(texts) == 1:
            return texts[0]
        tokens = sum(_costs(texts, self.request.count_tokens))
        merged = replace(self.request, messages=(), earlier=texts)
        return (await self._ask(self._bounded(merged, tokens))).text

    def _bounded(self, request: SummaryRequest, tokens: int) -> SummaryRequest:
        """Two of the replies fit into the next call.

        `source_tokens` stays the whole's: only the last text must be shorter than its sources, and a part may be so
        small that no summary of it is.
        """
        most = min(request.max_tokens, max(SMALLEST_PART_TOKENS, tokens - 1), self.room // 2 - HEAD_TOKENS)
        return replace(request, max_tokens=max(1, most))

    def _batches(self, texts: Sequence[str]) -> list[list[str]]:
        """The texts in stretches that a call can read, two at least in each but the last."""
        half = self.room // 2
        short = [_cut(text, cost, half) for text, cost in zip(texts, self._costs_of(texts), strict=True)]
        return _stretches(short, [min(half, cost) for cost in self._costs_of(short)], self.room)

    def _costs_of(self, texts: Sequence[str]) -> list[int]:
        return _costs(earlier_entries(texts), self.request.count_tokens)

    async def _ask(self, request: SummaryRequest) -> SummaryReply:
        async with self.gate:
            reply = await summarize(request, self.summarizer, fallback=self.fallback)
        self.replies.append(reply)
        return reply


def _parts(request: SummaryRequest, room: int) -> list[list[Message]]:
    """The messages in stretches that each fit; a stretch does not begin with a result where that can be helped.

    There are as few as can be, about equal, so that none is left with next to nothing to tell.
    """
    costs = _costs(entries(request.messages, request.max_result_chars), request.count_tokens)
    total = sum(min(room, cost) for cost in costs)
    share = -(-total // max(1, -(-total // room)))
    return _stretches(request.messages, costs, room, share, may_begin=lambda message: message.get("role") != "tool")


def _stretches(
    items: Sequence[T],
    costs: Sequence[int],
    room: int,
    share: int | None = None,
    *,
    may_begin: Callable[[T], bool] = lambda _item: True,
) -> list[list[T]]:
    """The items in order, each stretch within the room; with a `share`, about so much in each."""
    stretches: list[list[T]] = [[]]
    spent = before = 0
    for item, cost in zip(items, costs, strict=True):
        is_full = spent + min(room, cost) > room or (share is not None and before >= share * len(stretches))
        if stretches[-1] and is_full and may_begin(item):
            stretches.append([])
            spent = 0
        stretches[-1].append(item)
        spent += min(room, cost)
        before += min(room, cost)
    return [stretch for stretch in stretches if stretch]


def _costs(shown: Iterable[str], count_tokens: Callable[[str], int]) -> list[int]:
    return [count_tokens(as_counted(entry)) for entry in shown]


def _fitted(request: SummaryRequest, room: int) -> SummaryRequest:
    """The request with each message cut to its share of the room, where together they are more."""
    costs = _costs(entries(request.messages, request.max_result_chars), request.count_tokens)
    if sum(costs) <= room:
        return request
    share = room // max(1, len(costs))
    messages = [cut_message(m, cost, share) for m, cost in zip(request.messages, costs, strict=True)]
    return replace(request, messages=messages)


def _cut(text: str, cost: int, share: int) -> str:
    """Head and tail of a text that costs more than its share, together about the share."""
    return text if cost <= share else cut_text(text, share / cost)
