"""Messages, bytes, tokens, turns and groups, for all groups and for the included ones."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.engine.talk import (
    assistant,
    calling,
    legacy_call,
    legacy_result,
    result,
    system,
    tool_turn,
    turns,
    user,
)
from turnfold.counts import Counts
from turnfold.index import MessageIndex


class CountingTokenizer:
    """A token a character; knows how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def count_tokens(self, text: str) -> int:
        self.asked += 1
        return len(text)


def test_all_and_included_are_counted_apart() -> None:
    index = MessageIndex([system("1234"), user("12345678"), assistant("1234")])

    index.exclude(index.groups[1], "test")

    assert index.all.public() == {"messages": 3, "groups": 3, "turns": 1, "tokens": 4, "bytes": 16}
    assert index.included.public() == {"messages": 2, "groups": 2, "turns": 1, "tokens": 2, "bytes": 8}


def test_a_turn_counts_until_its_last_group_is_hidden() -> None:
    index = MessageIndex(turns(2))

    index.exclude(index.groups[0], "test")
    assert index.included.turns == 2
    index.exclude(index.groups[1], "test")
    assert index.included.turns == 1
    index.include(index.groups[1])
    assert index.included.turns == 2


def test_turn_0_is_not_counted() -> None:
    assert MessageIndex([assistant(), system(), assistant()]).all.turns == 0


def test_hiding_twice_counts_once_and_keeps_the_first_reason() -> None:
    index = MessageIndex(turns(1))

    index.exclude(index.groups[0], "first")
    index.exclude(index.groups[0], "second")

    assert index.included.groups == 1
    assert index.groups[0].reason == "first"


@pytest.mark.parametrize(
    ("message", "size"),
    [
        (user("naïve 😀"), 11),
        (user(""), 0),
        ({"role": "user", "content": [{"type": "text", "text": "ab"}, {"type": "text", "text": "cd"}]}, 4),
        ({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://x.test/a"}}]}, 15),
        (
            {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://x.test/a"}}], "name": "al"},
            15,
        ),
        ({"role": "assistant", "content": "ab", "reasoning_content": "cde"}, 5),
        ({"role": "assistant", "content": None, "refusal": "no"}, 2),
        ({"role": "assistant", "content": [{"type": "thinking", "thinking": "hmm", "signature": "long"}]}, 3),
        ({"role": "assistant", "reasoning_details": [{"type": "reasoning.encrypted", "data": "secret"}]}, 0),
        (calling("id-of-the-call", name="look", arguments='{"q": 1}'), 12),
        (result("id-of-the-call", "found"), 5),
        (legacy_call("old"), 5),
        (legacy_result("found", "old"), 8),
        ({"role": "user", "content": "lone \ud83d surrogate"}, 18),
    ],
)
def test_bytes_are_those_of_all_text_in_utf_8_and_not_of_roles_or_envelopes(message: dict[str, Any], size: int) -> None:
    assert MessageIndex([message]).all.bytes == size


@pytest.mark.parametrize(
    ("message", "tokens"),
    [
        (user("12345678"), 8),
        ({"role": "user", "content": [{"type": "text", "text": "ab"}, {"type": "text", "text": "cd"}]}, 5),
        ({"role": "assistant", "content": "ab", "reasoning": "cde"}, 5),
        (calling("id", name="look", arguments="{}"), 6),
        ({"role": "assistant", "content": [{"type": "redacted_thinking", "data": "secret"}]}, 0),
    ],
)
def test_tokens_are_those_of_the_text_fields_joined_and_parts_by_a_line_break(
    message: dict[str, Any], tokens: int
) -> None:
    assert MessageIndex([message], tokenizer=CountingTokenizer()).all.tokens == tokens


def test_a_groups_tokens_are_the_sum_of_its_messages_tokens() -> None:
    index = MessageIndex(tool_turn("a", "x" * 10), tokenizer=CountingTokenizer())

    assert index.groups[1].token_count == len("look{}") + 10


def test_nothing_is_counted_twice_however_often_counts_are_read() -> None:
    # given
    tokenizer = CountingTokenizer()
    index = MessageIndex(turns(50), tokenizer=tokenizer)
    assert tokenizer.asked == 100

    # when
    for group in index.groups:
        index.exclude(group, "test")
        assert index.included.tokens >= 0
        index.include(group)

    # then
    assert tokenizer.asked == 100


def test_an_append_counts_the_new_messages_alone() -> None:
    tokenizer = CountingTokenizer()
    index = MessageIndex(turns(50), tokenizer=tokenizer)

    index.append([user("new"), assistant("new")])

    assert tokenizer.asked == 102


def test_another_tokenizer_measures_each_group_once_and_keeps_a_running_total() -> None:
    # given
    index, other = MessageIndex(turns(3, words=2)), CountingTokenizer()
    assert index.tokens_by(other) == 48

    # when
    index.exclude(index.groups[0], "test")

    # then
    assert index.tokens_by(other) == 40
    assert other.asked == 6


def test_the_running_total_of_another_tokenizer_takes_new_messages_in() -> None:
    index, other = MessageIndex(turns(1)), CountingTokenizer()
    assert index.tokens_by(other) == 8

    index.append([user("1234")])

    assert index.tokens_by(other) == 12


def test_counts_survive_a_round_trip_through_json_and_a_copy_stands_alone() -> None:
    index = MessageIndex([system(), *tool_turn("a"), *turns(2)])

    again = Counts.from_dict(index.all.to_dict({1, 2, 3}))
    copy = index.all.copy()
    index.append(turns(1))

    assert again == copy
    assert copy.turns == 3
    assert index.all.turns == 4


def test_groups_counted_in_one_go_are_added_to_what_was_counted_before() -> None:
    one, other = MessageIndex([system(), *tool_turn("a")]), MessageIndex([system("more"), *tool_turn("b"), *turns(3)])
    step_by_step, in_one_go = one.all.copy(), one.all.copy()

    for group in other.groups:
        step_by_step.add(group)
    in_one_go.add_all(other.groups)

    assert in_one_go == step_by_step
