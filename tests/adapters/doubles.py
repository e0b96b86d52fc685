"""A store that goes away, and summarizers that can be waited for and counted."""

from __future__ import annotations

import asyncio
from typing import Any

from turnfold.errors import Unavailable
from turnfold.sessions.memory_store import MemoryStore
from turnfold.sessions.store import Appended, AppendWrite, OtherBody, Stale
from turnfold.summaries.extractive import ExtractiveSummarizer
from turnfold.summaries.summarizer import SummaryReply, SummaryRequest


class SlowSummarizer(ExtractiveSummarizer):
    """Writes nothing before it may."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.may_write = asyncio.Event(), asyncio.Event()

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        self.asked.set()
        await self.may_write.wait()
        return await super().summarize(request)


class AwayStore(MemoryStore):
    """Out of reach while `is_away`."""

    is_away = False

    async def append(self, key: Any, write: AppendWrite) -> Appended | Stale | OtherBody:
        if self.is_away:
            raise Unavailable
        return await super().append(key, write)


class CountingSummarizer(ExtractiveSummarizer):
    """Counts what it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.requests = 0

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        self.requests += 1
        return await super().summarize(request)
