"""Truncation: the oldest groups go."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.engine.talk import compacted, reasons, shown, system, tool_turn, turns, user
from turnfold.compaction.truncation import TruncationStrategy
from turnfold.triggers import Always, MessagesExceed, TurnsExceed


class WordTokenizer:
    def count_tokens(self, text: str) -> int:
        return len(text.split())


def test_the_default_floor_is_32_groups() -> None:
    index, _ = compacted(turns(20), TruncationStrategy(trigger=Always()))

    assert shown(index) == list(range(8, 40))


def test_by_default_it_stops_when_the_trigger_no_longer_holds() -> None:
    index, _ = compacted(turns(5), TruncationStrategy(trigger=MessagesExceed(7), minimum_preserved=1))

    assert shown(index) == [3, 4, 5, 6, 7, 8, 9]


def test_a_group_goes_whole() -> None:
    index, _ = compacted(
        [*tool_turn("a"), *turns(1)], TruncationStrategy(trigger=MessagesExceed(3), minimum_preserved=1)
    )

    assert shown(index) == [3, 4]


def test_a_turn_is_left_only_with_its_last_group() -> None:
    index, _ = compacted(turns(4), TruncationStrategy(trigger=TurnsExceed(3), minimum_preserved=1))

    assert shown(index) == [2, 3, 4, 5, 6, 7]


def test_max_messages_with_compact_to_starts_above_one_and_stops_at_the_other() -> None:
    strategy = TruncationStrategy(max_messages=6, compact_to=3)

    assert shown(compacted(turns(3), strategy)[0]) == [0, 1, 2, 3, 4, 5]
    assert shown(compacted(turns(4), strategy)[0]) == [5, 6, 7]


def test_max_tokens_is_measured_as_the_index_counts() -> None:
    index, _ = compacted(turns(4, words=10), TruncationStrategy(max_tokens=50, compact_to=20))

    assert shown(index) == [6, 7]


def test_max_n_is_messages_and_with_a_tokenizer_its_tokens() -> None:
    messages = [user("one two three") for _ in range(4)]

    assert shown(compacted(messages, TruncationStrategy(max_n=3))[0]) == [1, 2, 3]
    assert shown(compacted(messages, TruncationStrategy(max_n=7, tokenizer=WordTokenizer()))[0]) == [2, 3]


def test_a_shorthands_floor_is_the_newest_group() -> None:
    index, _ = compacted(turns(3, words=100), TruncationStrategy(max_tokens=10, compact_to=5))

    assert shown(index) == [5]


def test_a_lone_oversized_group_stays() -> None:
    index, changed = compacted([system(), user("x" * 4000)], TruncationStrategy(max_tokens=10))

    assert not changed
    assert shown(index) == [0, 1]


def test_system_groups_go_as_well_if_they_may() -> None:
    strategy = TruncationStrategy(trigger=Always(), minimum_preserved=1, preserve_system=False)

    index, _ = compacted([system(), *turns(2)], strategy)

    assert shown(index) == [4]
    assert reasons(index)[0] == "truncation"


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"max_n": 0}, "max_n"),
        ({"max_tokens": -1}, "max_tokens"),
        ({"max_messages": 1.5}, "max_messages"),
        ({"max_messages": 10, "compact_to": 11}, "compact_to"),
        ({"max_messages": 10, "compact_to": 0}, "compact_to"),
        ({"trigger": Always(), "compact_to": 5}, "compact_to"),
        ({"max_messages": 10, "max_tokens": 10}, "max_messages"),
        ({"max_messages": 10, "trigger": Always()}, "trigger"),
    ],
)
def test_bad_arguments_are_named(options: dict[str, Any], argument: str) -> None:
    with pytest.raises(ValueError, match=f"^{argument}:"):
        TruncationStrategy(**options)
