"""When strategies start."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.unit.engine.talk import system, tool_turn, turns, user
from turnfold.index import MessageIndex
from turnfold.triggers import CompactionTrigger, CompactionTriggers, Not

T = CompactionTriggers
# six messages, each a group and a token by estimate, in three turns
INDEX = MessageIndex([system("s"), *turns(2), user("u")])


@pytest.mark.parametrize(
    ("trigger", "count"),
    [(T.tokens_exceed, 6), (T.messages_exceed, 6), (T.groups_exceed, 6), (T.turns_exceed, 3)],
)
def test_exceeding_is_strict(trigger: Callable[[int], CompactionTrigger], count: int) -> None:
    assert trigger(count - 1)(INDEX)
    assert not trigger(count)(INDEX)


def test_below_is_strict() -> None:
    assert T.tokens_below(7)(INDEX)
    assert not T.tokens_below(6)(INDEX)


def test_always_and_never() -> None:
    assert T.always()(INDEX)
    assert not T.never()(INDEX)


def test_triggers_read_what_is_included() -> None:
    index = MessageIndex([*turns(2), *tool_turn("a")])
    assert T.has_tool_calls()(index)
    assert T.messages_exceed(5)(index)

    index.exclude(index.groups[-1], "test")

    assert not T.has_tool_calls()(index)
    assert not T.messages_exceed(5)(index)


def test_all_of_nothing_holds_and_any_of_nothing_does_not() -> None:
    assert T.all_of()(INDEX)
    assert not T.any_of()(INDEX)


def test_combinations() -> None:
    yes, no = T.always(), T.never()

    assert T.all_of(yes, yes)(INDEX)
    assert not T.all_of(yes, no)(INDEX)
    assert T.any_of(no, yes)(INDEX)
    assert not T.any_of(no, no)(INDEX)
    assert Not(no)(INDEX)


def test_any_callable_is_a_trigger() -> None:
    assert T.all_of(lambda index: index.included.turns == 3)(INDEX)


def test_what_is_sent_along_counts_towards_every_token_trigger() -> None:
    index = MessageIndex(turns(1), overhead_tokens=100)

    assert T.tokens_exceed(101)(index)
    assert not T.tokens_below(102)(index)


@pytest.mark.parametrize("name", ["tokens_exceed", "tokens_below", "messages_exceed", "turns_exceed", "groups_exceed"])
@pytest.mark.parametrize("limit", [-1, 1.5, True, "7", None])
def test_a_bad_limit_names_the_trigger(name: str, limit: object) -> None:
    with pytest.raises(ValueError, match=name):
        getattr(CompactionTriggers, name)(limit)
