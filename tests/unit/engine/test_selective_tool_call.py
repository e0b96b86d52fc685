"""Selective tool calls: old calls go without a trace."""

from __future__ import annotations

import pytest

from tests.unit.engine.talk import calling, compacted, kinds, shown, tool_turn, turns
from turnfold.compaction.selective_tool_call import SelectiveToolCallCompactionStrategy
from turnfold.triggers import Always, HasToolCalls

TALK = [m for n in range(3) for m in tool_turn(f"c{n}")]


def test_it_keeps_the_newest_calls_and_leaves_no_text_in_place_of_the_others() -> None:
    index, changed = compacted(TALK, SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=1))

    assert changed
    assert shown(index) == [0, 3, 6, 7, 8]
    assert "summary" not in kinds(index)


def test_zero_removes_all() -> None:
    index, _ = compacted(TALK, SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=0))

    assert shown(index) == [0, 3, 6]


def test_with_only_a_trigger_the_newest_call_stays() -> None:
    index, _ = compacted(TALK, SelectiveToolCallCompactionStrategy(trigger=HasToolCalls()))

    assert shown(index) == [0, 3, 6, 7, 8]


def test_it_has_no_floor_of_groups_unless_one_is_given() -> None:
    strategy = SelectiveToolCallCompactionStrategy(trigger=Always(), keep_last_tool_call_groups=0, minimum_preserved=3)

    assert shown(compacted(TALK, strategy)[0]) == [0, 3, 4, 5, 6, 7, 8]


def test_fewer_calls_than_are_kept_change_nothing() -> None:
    assert not compacted(TALK, SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=5))[1]


def test_a_call_that_waits_at_the_end_stays() -> None:
    strategy = SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=0)

    index, _ = compacted([*turns(1), calling("a")], strategy)

    assert index.pending_tool_call_ids == ["a"]


def test_a_negative_number_is_named() -> None:
    with pytest.raises(ValueError, match=r"^keep_last_tool_call_groups:"):
        SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=-1)
