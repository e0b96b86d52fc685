"""The sliding window: the newest turns stay, whole."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.engine.talk import (
    ScriptedSummarizer,
    assistant,
    compact_again,
    compacted,
    kinds,
    shown,
    system,
    tool_turn,
    turns,
    user,
)
from turnfold.compaction.sliding_window import SlidingWindowStrategy
from turnfold.compaction.summarization import SummarizationStrategy
from turnfold.compaction.tool_result import ToolResultCompactionStrategy
from turnfold.triggers import Always, MessagesExceed, TurnsExceed


def test_it_keeps_the_last_turns_with_their_tool_calls() -> None:
    index, _ = compacted([*turns(2), *tool_turn("a"), *turns(1)], SlidingWindowStrategy(keep_last_turns=2))

    assert shown(index) == [4, 5, 6, 7, 8]


def test_a_turn_goes_whole_even_where_less_would_do() -> None:
    strategy = SlidingWindowStrategy(trigger=MessagesExceed(7))

    index, _ = compacted([user(), *(assistant() for _ in range(5)), *turns(1)], strategy)

    assert shown(index) == [6, 7]


def test_the_default_floor_is_one_turn() -> None:
    index, _ = compacted(turns(5), SlidingWindowStrategy(trigger=Always()))

    assert shown(index) == [8, 9]


def test_what_stands_before_the_first_user_message_stays() -> None:
    index, _ = compacted([assistant("welcome"), *turns(3)], SlidingWindowStrategy(trigger=Always()))

    assert shown(index) == [0, 5, 6]


def test_it_stops_when_the_target_holds() -> None:
    index, _ = compacted(turns(5), SlidingWindowStrategy(trigger=TurnsExceed(2), target=lambda i: i.included.turns < 5))

    assert shown(index) == list(range(2, 10))


def test_by_groups_it_keeps_so_many_groups_whatever_their_turns() -> None:
    index, _ = compacted([system(), *turns(3)], SlidingWindowStrategy(keep_last_groups=3))

    assert shown(index) == [0, 4, 5, 6]


def test_exactly_as_many_as_are_kept_is_not_too_many() -> None:
    assert not compacted([system(), *turns(2)], SlidingWindowStrategy(keep_last_groups=4))[1]
    assert not compacted([system(), *turns(2)], SlidingWindowStrategy(keep_last_turns=2))[1]


def test_the_turn_window_never_drops_a_summary() -> None:
    # given a summary of the first turns
    folding = SummarizationStrategy(client=ScriptedSummarizer(), trigger=Always(), minimum_preserved=4)
    index, _ = compacted(turns(6, words=50), folding)
    assert kinds(index)[0] == "summary"

    # when
    compact_again(index, SlidingWindowStrategy(keep_last_turns=1))

    # then
    assert index.groups[0].included
    assert shown(index) == [10, 11]
    assert index.included.turns == 1


def test_the_line_of_a_collapsed_group_goes_with_the_turn_of_its_group() -> None:
    index, _ = compacted(
        [*tool_turn("a", "x" * 400), *turns(2)],
        ToolResultCompactionStrategy(trigger=Always(), keep_last_tool_call_groups=0),
    )
    assert [group.turn for group in index.included_groups] == [1, 1, 2, 2, 3, 3]

    compact_again(index, SlidingWindowStrategy(keep_last_turns=2))

    assert [group.turn for group in index.included_groups] == [2, 2, 3, 3]


def test_system_groups_before_what_is_kept_go_as_well_if_they_may() -> None:
    messages = [system("old"), *turns(1), system("older rules"), *turns(1), system("new")]

    index, _ = compacted(messages, SlidingWindowStrategy(keep_last_turns=1, preserve_system=False))

    assert 0 not in shown(index)
    assert {4, 5, 6} <= set(shown(index))


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"keep_last_turns": 0}, "keep_last_turns"),
        ({"keep_last_groups": -1}, "keep_last_groups"),
        ({"keep_last_turns": 1, "keep_last_groups": 1}, "keep_last_groups"),
        ({"keep_last_turns": 1, "trigger": Always()}, "trigger"),
        ({"keep_last_groups": 1, "trigger": Always()}, "trigger"),
    ],
)
def test_bad_arguments_are_named(options: dict[str, Any], argument: str) -> None:
    with pytest.raises(ValueError, match=f"^{argument}:"):
        SlidingWindowStrategy(**options)
