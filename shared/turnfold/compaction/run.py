"""One pass of a strategy over an index: where it may get summaries from, and what each step did."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from turnfold.summaries.summarizer import Summarizer

DEFERRED = "deferred"


@dataclass(frozen=True, slots=True)
class Action:
    """What one leaf strategy did; tokens are those included before and after it."""

    strategy: str
    triggered: bool
    changed: bool
    before_tokens: int
    after_tokens: int
    reason: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(slots=True)
class CompactionRun:
    """Carried through a pipeline.

    Attributes:
        summarizer: makes the summaries of strategies that have none of their own.
        deferred: summaries are planned for a worker instead of made: the step hides nothing.
        fallback: `extractive` or `none`, for summarizations that don't say.
        actions: what each leaf did, in order.
    """

    summarizer: Summarizer | None = None
    deferred: bool = False
    fallback: str = "none"
    actions: list[Action] = field(default_factory=list[Action])
