"""Step 4: a summary stands in the place of what it was made from, and is refused when it is bad."""

from __future__ import annotations

from tests.support.sessions import said
from turnfold.compaction.run import CompactionRun
from turnfold.compaction.summarization import SummarizationStrategy
from turnfold.index import MessageIndex
from turnfold.summaries.extractive import ExtractiveSummarizer
from turnfold.summaries.summarizer import SummaryReply, SummaryRequest
from turnfold.triggers import CompactionTriggers


def _strategy(client: object) -> SummarizationStrategy:
    return SummarizationStrategy(client=client, trigger=CompactionTriggers.always(), minimum_preserved=2)


async def test_old_groups_become_one_summary_that_keeps_their_exact_values() -> None:
    index = MessageIndex(said(8))
    before = index.included.tokens
    assert await _strategy(ExtractiveSummarizer()).compact(index)
    shown = index.projection()
    assert [message["role"] for message in shown] == ["assistant", "user", "assistant"]
    assert shown[0].text.startswith("[Summary]")
    assert "DK-99812" in shown[0].text
    assert index.included.tokens < before


async def test_each_source_knows_its_summary_and_the_summary_knows_its_sources() -> None:
    index = MessageIndex(said(8))
    await _strategy(ExtractiveSummarizer()).compact(index)
    (summary,) = index.made_groups
    assert len(summary.summary_of) == 6
    assert {group.summarized_by for group in index.groups[1:7]} == {summary.id}


class Refuses:
    """A model that does what models sometimes do."""

    name = "refuses"

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        return SummaryReply(text="I'm sorry, but I can't help with that.", model="small")


async def test_a_refusal_is_no_summary_the_history_stays_as_it_was_and_the_reason_is_told() -> None:
    index, run = MessageIndex(said(8)), CompactionRun()
    assert not await _strategy(Refuses()).compact(index, run)
    assert len(index.projection()) == 8
    assert "refusal" in str(run.actions[0].reason)


async def test_in_a_run_that_defers_a_summary_is_planned_and_hides_nothing() -> None:
    index, run = MessageIndex(said(8)), CompactionRun(deferred=True)
    assert not await _strategy(None).compact(index, run)
    assert (run.actions[0].triggered, run.actions[0].reason) == (True, "deferred")
