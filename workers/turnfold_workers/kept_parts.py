"""Replies to the parts of a job that is read in parts: kept one by one, so that one that fails costs no other again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

from turnfold import jsonio
from turnfold.sessions.job import Job
from turnfold.sessions.ledger import Spent
from turnfold.summaries.summarizer import SummaryReply, SummaryRequest
from turnfold_workers.workshop import Workshop


@dataclass(slots=True)
class KeptParts:
    """
    Attributes:
        digest: tells requests apart.
        prompt_tokens, completion_tokens: of all replies that came by here, which are booked.
    """

    workshop: Workshop
    job: Job
    digest: Callable[[SummaryRequest], str]
    prompt_tokens: int = 0
    completion_tokens: int = 0

    async def kept(self, request: SummaryRequest) -> SummaryReply | None:
        text = await self.workshop.store.kept_reply(self.job.key, self.digest(request))
        if text is None:
            return None
        reply = SummaryReply(**jsonio.loads(text))
        self._count(reply)
        return reply

    async def keep(self, request: SummaryRequest, reply: SummaryReply) -> None:
        spent = spent_on(self.workshop, reply.prompt_tokens, reply.completion_tokens)
        text = jsonio.dumps(asdict(reply))
        await self.workshop.store.keep_reply(
            self.job.key, self.job.incarnation, self.digest(request), text, spent=spent
        )  # fmt: skip
        self._count(reply)

    def _count(self, reply: SummaryReply) -> None:
        self.prompt_tokens += reply.prompt_tokens
        self.completion_tokens += reply.completion_tokens


def spent_on(workshop: Workshop, prompt_tokens: int, completion_tokens: int) -> Spent:
    """What so many tokens cost."""
    return Spent(
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        cost=workshop.prices.of_summary(prompt_tokens, completion_tokens),
    )
