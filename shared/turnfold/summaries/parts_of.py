"""A backlog cut up: no part costs more than a call has room for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from turnfold.content import tool_calls
from turnfold.messages import Message
from turnfold.summaries.cut_message import cut_message
from turnfold.summaries.stretches import even_stretches
from turnfold.summaries.summarizer import SummaryRequest
from turnfold.summaries.transcript import MARK_CHARS, as_counted, entries, head_and_tail, result_chars


@dataclass(frozen=True, slots=True)
class Part:
    """Messages for one call, and what they cost it at most."""

    messages: Sequence[Message]
    cost: int


def parts_of(request: SummaryRequest, room: int) -> list[Part]:
    """The messages in parts, as few as can be, about equal, so that few are left with next to nothing to tell.

    Results stay with their call unless they are more than a part together; a message that is more than a part is read
    by its head and its tail.
    """
    cutter = _Cutter(request, room)
    pieces = [piece for run in _runs(request.messages) for piece in cutter.pieces(run)]
    parts = even_stretches(pieces, [piece.cost for piece in pieces], room)
    return [Part([m for piece in part for m in piece.messages], sum(piece.cost for piece in part)) for part in parts]


@dataclass(frozen=True, slots=True)
class _Cutter:
    request: SummaryRequest
    room: int

    def pieces(self, run: Sequence[Message]) -> list[Part]:
        """The run in one, where it fits; else each message by itself."""
        costs = self._costs(run)
        if sum(costs) <= self.room:
            return [Part(run, sum(costs))]
        limit = self._result_limit(run)
        short = [run[0], *(_with_result_cut(message, limit) for message in run[1:])]
        alone = [cut_message(message, self.room, self._cost) for message in short]
        # A result is named where its call is in the same part, and is not where that is in another one.
        return [Part([m], max(self._cost(m), cost)) for m, cost in zip(alone, self._costs(alone), strict=True)]

    def _result_limit(self, run: Sequence[Message]) -> int | None:
        """What the results of the run's calls may show: no more in a part without their call."""
        limit = result_chars(self.request.max_result_chars, len(tool_calls(run[0])))
        return None if limit is None else limit - MARK_CHARS

    def _costs(self, messages: Sequence[Message]) -> list[int]:
        shown = entries(messages, self.request.max_result_chars)
        return [self.request.count_tokens(as_counted(entry)) for entry in shown]

    def _cost(self, message: Message) -> int:
        return self._costs([message])[0]


def _runs(messages: Sequence[Message]) -> list[list[Message]]:
    """Each message with the results that stand behind it."""
    runs: list[list[Message]] = []
    for message in messages:
        if runs and message.get("role") in ("tool", "function"):
            runs[-1].append(message)
        else:
            runs.append([message])
    return runs


def _with_result_cut(message: Message, limit: int | None) -> Message:
    text = message.text
    return (
        message if limit is None or len(text) <= limit else Message({**message, "content": head_and_tail(text, limit)})
    )
