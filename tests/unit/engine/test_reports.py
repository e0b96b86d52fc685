"""What a report tells of a transient compaction."""

from __future__ import annotations

from tests.unit.engine.talk import ScriptedSummarizer, tool_turn, turns
from turnfold.compaction.pipeline import PipelineCompactionStrategy
from turnfold.compaction.report import compact_with_report
from turnfold.compaction.run import CompactionRun
from turnfold.compaction.sliding_window import SlidingWindowStrategy
from turnfold.compaction.summarization import SummarizationStrategy
from turnfold.compaction.tool_result import ToolResultCompactionStrategy
from turnfold.compaction.truncation import TruncationStrategy
from turnfold.triggers import Always


class Characters:
    """A token a character."""

    def count_tokens(self, text: str) -> int:
        return len(text)


async def test_a_report_tells_what_is_left_and_what_became_of_each_group() -> None:
    report = await compact_with_report(turns(2), SlidingWindowStrategy(keep_last_turns=1))

    told = report.to_dict()
    assert set(told) == {"messages", "groups", "before", "after", "actions"}
    assert told["messages"] == turns(2)[2:]
    assert [(group["id"], group["included"]) for group in told["groups"]] == [
        ("g0", False), ("g1", False), ("g2", True), ("g3", True),
    ]  # fmt: skip
    assert told["before"] == {"messages": 4, "groups": 4, "turns": 2, "tokens": 4, "bytes": 16}
    assert told["after"] == {"messages": 2, "groups": 2, "turns": 1, "tokens": 2, "bytes": 8}


async def test_every_leaf_that_ran_has_its_line_no_ops_too() -> None:
    pipeline = PipelineCompactionStrategy(
        [
            ToolResultCompactionStrategy(keep_last_tool_call_groups=0, max_result_chars=40),
            TruncationStrategy(max_messages=100),
            SlidingWindowStrategy(keep_last_turns=1),
        ]
    )

    report = await compact_with_report([*tool_turn("a", "x" * 400), *turns(1)], pipeline, tokenizer=Characters())

    assert report.to_dict()["actions"] == [
        {
            "strategy": "tool_result", "triggered": True, "changed": True, "before_tokens": 419, "after_tokens": 75,
            "reason": None,
        },
        {
            "strategy": "truncation", "triggered": False, "changed": False, "before_tokens": 75, "after_tokens": 75,
            "reason": None,
        },
        {
            "strategy": "sliding_window", "triggered": True, "changed": True, "before_tokens": 75, "after_tokens": 8,
            "reason": None,
        },
    ]  # fmt: skip


async def test_a_given_run_makes_the_summaries_and_is_told_what_was_done() -> None:
    run = CompactionRun(summarizer=ScriptedSummarizer("Words."))
    strategy = SummarizationStrategy(trigger=Always(), minimum_preserved=1)

    report = await compact_with_report(turns(4, words=10), strategy, run=run)

    assert report.messages[0].text == "[Summary]\nWords."
    assert report.actions is run.actions
    assert [action.strategy for action in run.actions] == ["summarization"]


def test_a_run_that_is_told_nothing_makes_no_summaries_and_falls_back_to_nothing() -> None:
    run = CompactionRun()

    assert (run.summarizer, run.deferred, run.fallback, run.actions) == (None, False, "none", [])
