"""Strategies that fold by a scripted summarizer, and what they folded."""

from __future__ import annotations

from typing import Any

from tests.unit.engine.talk import ScriptedSummarizer, turns
from turnfold.compaction.summarization import SummarizationStrategy
from turnfold.index import MessageIndex
from turnfold.triggers import Always

LONG = turns(6, words=50)


def folding(summarizer: ScriptedSummarizer | None = None, **options: Any) -> SummarizationStrategy:
    """Folds all but two groups, unless the options say otherwise."""
    if not options.keys() & {"target_count", "threshold", "trigger"}:
        options = {"trigger": Always(), "minimum_preserved": 2, **options}
    return SummarizationStrategy(client=summarizer or ScriptedSummarizer(), **options)


def sources(index: MessageIndex) -> list[list[int]]:
    """Positions that each shown summary covers."""
    by_id = {group.id: group for group in index.groups}
    return [
        sorted(p for source in group.summary_of for p in by_id[source].positions)
        for group in index.included_groups
        if group.durable
    ]
