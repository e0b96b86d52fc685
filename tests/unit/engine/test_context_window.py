"""The context window: tool results collapse above half of the input budget, truncation starts above 0.8."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.engine.talk import ScriptedSummarizer, compacted, kinds, shown, tool_turn, turns
from turnfold.compaction.context_window import ContextWindowCompactionStrategy
from turnfold.compaction.run import CompactionRun


def window(**options: Any) -> ContextWindowCompactionStrategy:
    """An input budget of 1,000 tokens."""
    return ContextWindowCompactionStrategy(**{"max_context_window_tokens": 1200, "max_output_tokens": 200, **options})


def test_the_input_budget_is_the_window_less_what_the_model_may_write() -> None:
    assert window().input_budget_tokens == 1000


def test_up_to_half_of_the_budget_nothing_happens() -> None:
    assert not compacted([*tool_turn("a", "x" * 1976), *turns(2)], window())[1]


def test_above_half_tool_results_collapse() -> None:
    index, changed = compacted([*tool_turn("a", "x" * 2400), *turns(2)], window())

    assert changed
    assert kinds(index)[1] == "summary"
    assert shown(index) == [0, 3, 4, 5, 6]


def test_up_to_0_8_text_is_never_dropped() -> None:
    index, changed = compacted(turns(40, words=10), window())  # 800 tokens

    assert not changed
    assert index.included.tokens == 800


def test_above_0_8_the_oldest_groups_go_until_it_holds() -> None:
    index, changed = compacted(turns(41, words=10), window())

    assert changed
    assert index.included.tokens == 800


def test_the_newest_two_groups_are_never_touched() -> None:
    index, _ = compacted(turns(3, words=900), window())

    assert shown(index) == [4, 5]


def test_between_the_two_summaries_are_made_where_a_threshold_asks_for_them() -> None:
    run = CompactionRun(summarizer=ScriptedSummarizer())

    index, _ = compacted(turns(35, words=10), window(summarization_threshold=0.6), run=run)

    assert kinds(index)[0] == "summary"
    assert [action.strategy for action in run.actions] == ["tool_result", "summarization", "truncation"]
    assert not run.actions[2].triggered


def test_without_that_threshold_there_are_two_phases() -> None:
    run = CompactionRun()

    compacted(turns(1), window(), run=run)

    assert [action.strategy for action in run.actions] == ["tool_result", "truncation"]


def test_a_threshold_is_the_fraction_as_it_is_written_rounded_down() -> None:
    # given 0.57, which as a binary fraction of 100 is a little below 57
    exact = window(max_context_window_tokens=300, tool_eviction_threshold=0.5, truncation_threshold=0.57)

    # then 57 tokens are not above it, and 58 are
    assert not compacted(turns(3, words=9) + turns(1, words=3)[:1], exact)[1]
    assert compacted(turns(3, words=9) + turns(1, words=4)[:1], exact)[1]


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"max_context_window_tokens": 0}, "max_context_window_tokens"),
        ({"max_output_tokens": -1}, "max_output_tokens"),
        ({"max_output_tokens": 1200}, "max_output_tokens"),
        ({"minimum_preserved": -1}, "minimum_preserved"),
        ({"tool_eviction_threshold": 0}, "tool_eviction_threshold"),
        ({"tool_eviction_threshold": float("nan")}, "tool_eviction_threshold"),
        ({"truncation_threshold": 1.1}, "truncation_threshold"),
        ({"tool_eviction_threshold": 0.9}, "truncation_threshold"),
        ({"summarization_threshold": 0.4}, "summarization_threshold"),
        ({"summarization_threshold": 0.85}, "truncation_threshold"),
        ({"truncation_threshold": True}, "truncation_threshold"),
    ],
)
def test_bad_arguments_are_named(options: dict[str, Any], argument: str) -> None:
    with pytest.raises(ValueError, match=f"^{argument}:"):
        window(**options)
