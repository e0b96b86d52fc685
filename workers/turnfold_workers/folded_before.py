"""A target for jobs that make a withdrawn summary again."""

from __future__ import annotations

from turnfold.compaction.summarization import SummarizationStrategy
from turnfold.index import MessageIndex
from turnfold.triggers import AllOf, CompactionTrigger, CountsView, NonSystemExceed, Not


def folded_before(
    index: MessageIndex, step: SummarizationStrategy, target: CompactionTrigger | None, *, until: int
) -> CompactionTrigger:
    """What stands up to position `until` is folded; and if the step is due besides, its own target holds too.

    Args:
        target: the step's, where that is not its own.
    """
    behind = sum(group.place > until and not group.is_system for group in index.included_groups)
    up_to_there = Not(NonSystemExceed(behind, "non_system_groups"))
    if step.is_due(CountsView(index.live, index.overhead_tokens)):
        return AllOf((up_to_there, target or step.target))
    return up_to_there
