"""Tool results: old calls become a line."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.engine.talk import (
    calling,
    compacted,
    kinds,
    legacy_call,
    legacy_result,
    reasoning,
    result,
    shown,
    texts,
    tool_turn,
    turns,
    user,
)
from turnfold.compaction.tool_result import ToolResultCompactionStrategy
from turnfold.index import MessageIndex
from turnfold.messages import Message
from turnfold.triggers import Always, HasToolCalls

LONG = "sunny, 18°C, wind from the west " * 20


def collapse_all(**options: Any) -> ToolResultCompactionStrategy:
    return ToolResultCompactionStrategy(trigger=Always(), keep_last_tool_call_groups=0, **options)


def lines(index: MessageIndex) -> list[str]:
    return texts(m for g in index.included_groups if g.kind == "summary" for m in g.messages)


def test_a_group_becomes_a_line_with_name_and_result_at_its_place() -> None:
    index, changed = compacted([*tool_turn("a", LONG, "get_weather"), user()], collapse_all(max_result_chars=20))

    assert changed
    assert [message["role"] for message in index.projection()] == ["user", "assistant", "user"]
    assert lines(index) == [f"[Tool results: get_weather: {LONG[:11]} ...[cut]]"]


def test_the_line_covers_its_group_and_keeps_its_turn() -> None:
    index, _ = compacted([*tool_turn("a", LONG), user()], collapse_all())

    line, source = index.groups[1], index.groups[2]
    assert (line.kind, line.summary_of, line.turn) == ("summary", (source.id,), 1)
    assert (source.included, source.reason, source.summarized_by) == (False, "tool_result", line.id)


def test_parallel_calls_stand_under_their_own_names_in_the_order_of_the_calls() -> None:
    call = calling("a", "b")
    call["tool_calls"][1]["function"]["name"] = "find"

    index, _ = compacted([call, result("b", f"B {LONG}"), result("a", f"A {LONG}"), user()], collapse_all())

    assert lines(index)[0].startswith("[Tool results: look: A sunny")
    assert "; find: B sunny" in lines(index)[0]


def test_a_result_is_cut_at_400_characters_and_the_line_at_4096_with_a_mark() -> None:
    many = [calling(*(f"c{n}" for n in range(40))), *(result(f"c{n}", "y" * 5000) for n in range(40))]

    one, _ = compacted([*tool_turn("a", "x" * 5000), user()], collapse_all())
    all_of_them, _ = compacted([*many, user()], collapse_all())

    assert lines(one)[0].count("x") == 400 - len(" ...[cut]")
    assert len(lines(all_of_them)[0]) == 4096
    assert all_of_them.projection()[0].text.endswith(" ...[cut]]")


def test_the_style_calls_gives_the_names_alone() -> None:
    index, _ = compacted([calling("a", "b"), result("a", LONG), result("b", LONG), user()], collapse_all(style="calls"))

    assert lines(index) == ["[Tool calls: look, look]"]


def test_a_formatter_of_ones_own_makes_the_line() -> None:
    def told(messages: list[Message]) -> str:
        return f"({len(messages)} messages)"

    strategy = collapse_all(formatter=told)

    index, _ = compacted([*tool_turn("a", LONG), user()], strategy)

    assert lines(index) == ["(2 messages)"]


def test_the_default_floor_is_two_groups() -> None:
    index, _ = compacted(
        [*tool_turn("a", LONG), *tool_turn("b", LONG)], ToolResultCompactionStrategy(trigger=HasToolCalls())
    )

    assert kinds(index) == ["user", "summary", "tool_call", "user", "tool_call"]
    assert shown(index) == [0, 3, 4, 5]


def test_with_a_number_of_tool_call_groups_that_is_the_floor() -> None:
    index, _ = compacted(
        [m for n in range(4) for m in tool_turn(f"c{n}", LONG)],
        ToolResultCompactionStrategy(keep_last_tool_call_groups=1),
    )

    assert [group.place for group in index.included_groups if group.is_tool_call] == [10]
    assert len(lines(index)) == 3


def test_as_many_groups_as_are_kept_do_not_trigger() -> None:
    messages = [*tool_turn("a", LONG), *tool_turn("b", LONG)]

    assert not compacted(messages, ToolResultCompactionStrategy(keep_last_tool_call_groups=2))[1]


def test_a_group_is_left_where_its_line_would_cost_more() -> None:
    index, changed = compacted([*tool_turn("a", "ok"), user()], collapse_all())

    assert not changed
    assert shown(index) == [0, 1, 2, 3]


def test_a_call_that_still_waits_is_never_collapsed() -> None:
    index, changed = compacted([*turns(1), calling("a", "b", arguments=LONG), result("a", LONG)], collapse_all())

    assert not changed
    assert index.pending_tool_call_ids == ["b"]


def test_reasoning_of_the_group_leaves_no_trace_in_the_line() -> None:
    index, _ = compacted([reasoning("secret thought"), calling("a"), result("a", LONG), user()], collapse_all())

    assert "secret" not in lines(index)[0]


def test_legacy_calls_collapse_too() -> None:
    index, _ = compacted([legacy_call("old_tool"), legacy_result(LONG, "old_tool"), user()], collapse_all())

    assert lines(index)[0].startswith("[Tool results: old_tool: sunny")


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"keep_last_tool_call_groups": -1}, "keep_last_tool_call_groups"),
        ({"keep_last_tool_call_groups": 1, "style": "haiku"}, "style"),
        ({"keep_last_tool_call_groups": 1, "max_result_chars": 0}, "max_result_chars"),
        ({"keep_last_tool_call_groups": 1, "max_chars": 0}, "max_chars"),
    ],
)
def test_bad_arguments_are_named(options: dict[str, Any], argument: str) -> None:
    with pytest.raises(ValueError, match=f"^{argument}:"):
        ToolResultCompactionStrategy(**options)
