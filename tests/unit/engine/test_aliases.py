"""Other names of strategies and of their floors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import turnfold
from turnfold.compaction.context_window import ContextWindowCompactionStrategy
from turnfold.compaction.selective_tool_call import SelectiveToolCallCompactionStrategy
from turnfold.compaction.sliding_window import SlidingWindowStrategy
from turnfold.compaction.strategy import CompactionStrategy
from turnfold.compaction.summarization import SummarizationStrategy
from turnfold.compaction.tool_result import ToolResultCompactionStrategy
from turnfold.compaction.truncation import TruncationStrategy
from turnfold.triggers import Always

WINDOW = {"max_context_window_tokens": 100, "max_output_tokens": 10}
FLOORS_OF_GROUPS: list[tuple[Callable[..., Any], dict[str, Any]]] = [
    (TruncationStrategy, {"trigger": Always()}),
    (TruncationStrategy, {"max_messages": 9}),
    (ToolResultCompactionStrategy, {"trigger": Always()}),
    (SelectiveToolCallCompactionStrategy, {"trigger": Always()}),
    (SlidingWindowStrategy, {"keep_last_groups": 9}),
    (SummarizationStrategy, {"trigger": Always()}),
    (SummarizationStrategy, {"target_count": 2}),
    (ContextWindowCompactionStrategy, WINDOW),
]
with_floors_of_groups = pytest.mark.parametrize(("build", "options"), FLOORS_OF_GROUPS)


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("PipelineStrategy", "PipelineCompactionStrategy"),
        ("SlidingWindowCompactionStrategy", "SlidingWindowStrategy"),
        ("SummarizationCompactionStrategy", "SummarizationStrategy"),
        ("ToolResultStrategy", "ToolResultCompactionStrategy"),
        ("TruncationCompactionStrategy", "TruncationStrategy"),
    ],
)
def test_a_strategy_is_the_same_under_its_other_name(alias: str, name: str) -> None:
    assert getattr(turnfold, alias) is getattr(turnfold, name)
    assert alias in turnfold.__all__


@with_floors_of_groups
def test_a_floor_of_groups_may_be_called_so(build: Callable[..., Any], options: dict[str, Any]) -> None:
    assert build(**options, minimum_preserved_groups=7).minimum_preserved == 7
    assert build(**options, minimum_preserved_groups=0).minimum_preserved == 0


@with_floors_of_groups
def test_a_floor_under_both_names_is_an_error_that_says_so(build: Callable[..., Any], options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"^minimum_preserved_groups: minimum_preserved says the same; leave one"):
        build(**options, minimum_preserved=7, minimum_preserved_groups=7)


@with_floors_of_groups
def test_a_bad_floor_is_named_as_it_was_given(build: Callable[..., Any], options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"^minimum_preserved_groups: must be a whole number"):
        build(**options, minimum_preserved_groups=-1)
    with pytest.raises(ValueError, match=r"^minimum_preserved: must be a whole number"):
        build(**options, minimum_preserved=-1)


@pytest.mark.parametrize("options", [{"trigger": Always()}, {"keep_last_turns": 9}])
def test_a_window_of_turns_has_a_floor_of_turns(options: dict[str, Any]) -> None:
    assert SlidingWindowStrategy(**options, minimum_preserved_turns=7).minimum_preserved == 7
    with pytest.raises(ValueError, match=r"^minimum_preserved_groups: this window keeps turns"):
        SlidingWindowStrategy(**options, minimum_preserved_groups=7)
    with pytest.raises(ValueError, match=r"^minimum_preserved_turns: minimum_preserved says the same"):
        SlidingWindowStrategy(**options, minimum_preserved=7, minimum_preserved_turns=7)


def test_a_window_of_groups_has_no_floor_of_turns() -> None:
    with pytest.raises(ValueError, match=r"^minimum_preserved_turns: this window keeps groups"):
        SlidingWindowStrategy(keep_last_groups=9, minimum_preserved_turns=7)


def test_with_a_floor_of_groups_tool_results_are_not_counted_from_the_newest_call() -> None:
    assert ToolResultCompactionStrategy(keep_last_tool_call_groups=1, minimum_preserved_groups=3).has_floor_of_groups
    assert not ToolResultCompactionStrategy(keep_last_tool_call_groups=1).has_floor_of_groups


def test_all_strategies_are_made_by_keywords() -> None:
    strategies: list[CompactionStrategy] = [build(**options) for build, options in FLOORS_OF_GROUPS]

    assert [dict(strategy.given) for strategy in strategies] == [options for _, options in FLOORS_OF_GROUPS]
