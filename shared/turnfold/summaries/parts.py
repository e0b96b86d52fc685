"""A backlog larger than one call may read: in parts, side by side, then merged."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from turnfold.messages import Message
from turnfold.summaries.attempt import summarize
from turnfold.summaries.prompt import prompt_cost
from turnfold.summaries.summarizer import Summarizer, SummaryReply, SummaryRequest
from turnfold.summaries.transcript import entries, head_and_tail

# So many parts are asked for at once.
PARALLEL = 4


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
    parts = _parts(request, room)
    if len(parts) <= 1:
        return await summarize(_fitted(request, room), summarizer, fallback=fallback)
    return await _merged(request, parts, summarizer, fallback, room)


async def _merged(
    request: SummaryRequest,
    parts: Sequence[Sequence[Message]],
    summarizer: Summarizer,
    fallback: Summarizer | None,
    room: int,
) -> SummaryReply:
    gate = asyncio.Semaphore(PARALLEL)

    async def one(messages: Sequence[Message]) -> SummaryReply:
        tokens = sum(request.count_tokens(entry) for entry in entries(messages))
        part = replace(request, messages=messages, earlier=(), source_tokens=tokens)
        part = replace(part, max_tokens=max(1, min(request.max_tokens, tokens - 1)))
        async with gate:
            return await summarize(_fitted(part, room), summarizer, fallback=fallback)

    replies = await asyncio.gather(*(one(messages) for messages in parts))
    texts = [*request.earlier, *(reply.text for reply in replies)]
    last = await summarize(replace(request, messages=(), earlier=texts), summarizer, fallback=fallback)
    return replace(
        last,
        prompt_tokens=last.prompt_tokens + sum(reply.prompt_tokens for reply in replies),
        completion_tokens=last.completion_tokens + sum(reply.completion_tokens for reply in replies),
        degraded=last.degraded or any(reply.degraded for reply in replies),
    )


def _parts(request: SummaryRequest, room: int) -> list[list[Message]]:
    """The messages in stretches that each fit; a stretch does not begin with a result where that can be helped."""
    shown = entries(request.messages, request.max_result_chars)
    room -= sum(request.count_tokens(text) for text in request.earlier)
    parts: list[list[Message]] = [[]]
    spent = 0
    for message, entry in zip(request.messages, shown, strict=True):
        cost = min(room, request.count_tokens(entry))
        if parts[-1] and spent + cost > room and message.get("role") != "tool":
            parts.append([])
            spent = 0
        parts[-1].append(message)
        spent += cost
    return [part for part in parts if part]


def _fitted(request: SummaryRequest, room: int) -> SummaryRequest:
    """The request with each message cut to its share of the room, where together they are more."""
    shown = entries(request.messages, request.max_result_chars)
    costs = [request.count_tokens(entry) for entry in shown]
    if sum(costs) <= room:
        return request
    share = max(100, room // max(1, len(costs)))
    messages = [
        _cut(m, entry, cost, share) for m, entry, cost in zip(request.messages, shown, costs, strict=True)
    ]  # fmt: skip
    return replace(request, messages=messages)


def _cut(message: Message, entry: str, cost: int, share: int) -> Message:
    content = message.get("content")
    if cost <= share or not isinstance(content, str):
        return message
    limit = max(100, len(entry) * share // cost)
    return Message({**message, "content": head_and_tail(content, limit)})
