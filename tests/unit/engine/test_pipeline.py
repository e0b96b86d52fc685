"""Pipelines: strategies one after the other, each by its own trigger."""

from __future__ import annotations

from tests.unit.engine.talk import compacted, shown, tool_turn, turns
from turnfold.compaction.pipeline import PipelineCompactionStrategy
from turnfold.compaction.run import CompactionRun
from turnfold.compaction.selective_tool_call import SelectiveToolCallCompactionStrategy
from turnfold.compaction.truncation import TruncationStrategy
from turnfold.triggers import Always, MessagesExceed, Never


def test_each_child_starts_by_its_own_trigger_and_every_leaf_is_told_of() -> None:
    run = CompactionRun()
    pipeline = PipelineCompactionStrategy(
        [
            TruncationStrategy(trigger=Never()),
            PipelineCompactionStrategy([TruncationStrategy(trigger=Always(), minimum_preserved=1)]),
            TruncationStrategy(trigger=Always(), minimum_preserved=1),
        ]
    )

    index, changed = compacted(turns(2), pipeline, run=run)

    assert changed
    assert shown(index) == [3]
    assert [(a.strategy, a.triggered, a.changed) for a in run.actions] == [
        ("truncation", False, False),
        ("truncation", True, True),
        ("truncation", False, False),  # one group alone is left alone
    ]


def test_actions_tell_the_tokens_before_and_after() -> None:
    run = CompactionRun()

    compacted(turns(2), TruncationStrategy(trigger=Always(), minimum_preserved=1), run=run)

    assert [(action.before_tokens, action.after_tokens) for action in run.actions] == [(4, 1)]


def test_later_children_see_what_earlier_ones_did() -> None:
    pipeline = PipelineCompactionStrategy(
        [
            SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=0),
            TruncationStrategy(trigger=MessagesExceed(3), minimum_preserved=1),
        ]
    )

    index, _ = compacted([*tool_turn("a"), *turns(1)], pipeline)

    assert shown(index) == [0, 3, 4]


def test_an_empty_pipeline_changes_nothing() -> None:
    assert not compacted(turns(2), PipelineCompactionStrategy())[1]
