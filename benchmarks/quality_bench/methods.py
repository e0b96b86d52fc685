"""The ways of summarizing that are compared."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import replace

from quality_bench.conversations import COUNT
from quality_bench.small_model import NAME, SmallModel
from turnfold.messages import Message
from turnfold.summaries.attempt import summarize
from turnfold.summaries.completed import completed, wanted_from
from turnfold.summaries.cut_message import cut_message
from turnfold.summaries.extractive import ExtractiveSummarizer, extract
from turnfold.summaries.fit import cut_to
from turnfold.summaries.summarizer import SummaryReply, SummaryRequest
from turnfold.summaries.transcript import as_counted, entries
from turnfold.summaries.units import units_of

Method = Callable[[SummaryRequest], str]


def random_units(request: SummaryRequest) -> str:
    """Baseline: units drawn by lot until the budget is full."""
    texts = [unit.text for unit in units_of(request.messages)]
    random.Random(0).shuffle(texts)
    return _filled(texts, request.max_tokens, stop_when_full=False)


def last_messages(request: SummaryRequest) -> str:
    """Baseline: the newest units, as a truncation would leave them."""
    texts = [unit.text for unit in reversed(units_of(request.messages))]
    return _filled(texts, request.max_tokens, stop_when_full=True)


def prose_with_ledger(request: SummaryRequest) -> str:
    """A model's prose of the length that is asked for, and the ledger beside it.

    The prose stands for one that tells no value: the units that say least, so that only the ledger counts.
    """
    wanted = wanted_from(request)
    units = sorted(units_of(request.messages), key=lambda unit: len(unit.mentions))
    prose = cut_to(" ".join(unit.text for unit in units if not unit.mentions), wanted.prose_tokens or 0, COUNT)
    return completed(SummaryReply(text=prose or "Nothing.", model="prose", prompt_version="none"), request).text


RULES: dict[str, Method] = {
    "extractive": extract,
    "ledger + empty prose": prose_with_ledger,
    "random units": random_units,
    "last messages": last_messages,
}


class ModelMethods:
    """What a real small model writes, with and without what turnfold does about it; each chat is asked about once."""

    def __init__(self, model: SmallModel) -> None:
        self._model = model
        self._prose: dict[tuple[int, int], SummaryReply] = {}

    @property
    def methods(self) -> dict[str, Method]:
        """By name."""
        return {f"{NAME}: prose": self.prose, f"{NAME}: prose + ledger": self.both, f"{NAME}: as shipped": self.shipped}

    def prose(self, request: SummaryRequest) -> str:
        """The whole budget for the model, whatever it writes."""
        return cut_to(self._written(request).text, request.max_tokens, COUNT)

    def both(self, request: SummaryRequest) -> str:
        """A part of the budget for the model, whatever it writes, the rest for the ledger."""
        reply = self._written(request)
        wanted = wanted_from(request)
        return completed(replace(reply, text=cut_to(reply.text, wanted.prose_tokens or 0, COUNT)), request).text

    def shipped(self, request: SummaryRequest) -> str:
        """Judged by the gate, and made up for where it is refused."""
        once = _Once(self._written(request))
        reply = asyncio.run(summarize(wanted_from(request), once, fallback=ExtractiveSummarizer()))
        return completed(reply, request).text

    def _written(self, request: SummaryRequest) -> SummaryReply:
        key = (id(request.messages), request.max_tokens)
        if key not in self._prose:
            self._prose[key] = self._model.write(_fitting(request))
        return self._prose[key]


class _Once:
    """Gives a reply that is there already."""

    name = "once"

    def __init__(self, reply: SummaryReply) -> None:
        self._reply = reply

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        del request
        return self._reply


def _fitting(request: SummaryRequest) -> SummaryRequest:
    """The request with each message cut so that the model can read all of them."""
    if sum(map(_cost, request.messages)) <= SmallModel.READS_TOKENS:
        return request
    share = SmallModel.READS_TOKENS // max(1, len(request.messages))
    return replace(request, messages=[cut_message(message, share, _cost) for message in request.messages])


def _cost(message: Message) -> int:
    return sum(COUNT(as_counted(entry)) for entry in entries([message]))


def _filled(texts: Sequence[str], room: int, *, stop_when_full: bool) -> str:
    chosen: list[str] = []
    for text in texts:
        cost = COUNT(text) + 1
        if cost <= room:
            chosen.append(text)
            room -= cost
        elif stop_when_full:
            break
    return "\n".join(chosen)
