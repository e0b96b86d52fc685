"""A token budget: strategies until it holds, then the oldest groups out."""

from __future__ import annotations

import pytest

from tests.unit.engine.talk import compacted, reasons, shown, system, tool_turn, turns, user
from turnfold.compaction.run import CompactionRun
from turnfold.compaction.selective_tool_call import SelectiveToolCallCompactionStrategy
from turnfold.compaction.sliding_window import SlidingWindowStrategy
from turnfold.compaction.token_budget import TokenBudgetComposedStrategy
from turnfold.compaction.truncation import TruncationStrategy
from turnfold.triggers import Always, Never

DROP_ALL = TruncationStrategy(trigger=Always(), minimum_preserved=1)


class WordTokenizer:
    def count_tokens(self, text: str) -> int:
        return len(text.split())


def test_within_the_budget_nothing_happens() -> None:
    run = CompactionRun()

    _, changed = compacted(turns(2), TokenBudgetComposedStrategy(token_budget=4, strategies=[DROP_ALL]), run=run)

    assert not changed
    assert run.actions == []


def test_it_stops_at_the_first_child_that_is_enough() -> None:
    strategy = TokenBudgetComposedStrategy(
        token_budget=20, strategies=[SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=0), DROP_ALL]
    )

    index, changed = compacted([*tool_turn("a", "x" * 400), user()], strategy)

    assert changed
    assert shown(index) == [0, 3]


def test_without_the_early_stop_all_children_run() -> None:
    strategy = TokenBudgetComposedStrategy(
        token_budget=20,
        strategies=[SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=0), DROP_ALL],
        early_stop=False,
    )

    index, _ = compacted([*tool_turn("a", "x" * 400), user()], strategy)

    assert shown(index) == [3]


def test_it_falls_back_to_the_oldest_groups_then_to_system_ones() -> None:
    # given
    messages = [system("x" * 40), *turns(2, words=10), system("y" * 40)]
    run = CompactionRun()

    # when
    index, _ = compacted(messages, TokenBudgetComposedStrategy(token_budget=25), run=run)

    # then
    assert shown(index) == [4, 5]
    assert reasons(index) == {
        0: "token_budget_fallback_strict",
        1: "token_budget_fallback",
        2: "token_budget_fallback",
        3: "token_budget_fallback",
    }
    assert [(action.strategy, action.changed) for action in run.actions] == [("token_budget_fallback", True)]


def test_the_newest_group_beside_the_system_always_stays() -> None:
    index, _ = compacted([system(), *turns(3)], TokenBudgetComposedStrategy(token_budget=1))

    assert shown(index) == [6]


def test_children_that_are_not_enough_are_followed_by_the_fallback() -> None:
    strategy = TokenBudgetComposedStrategy(
        token_budget=3, strategies=[SlidingWindowStrategy(keep_last_turns=2), TruncationStrategy(trigger=Never())]
    )

    index, _ = compacted(turns(4), strategy)

    assert shown(index) == [5, 6, 7]
    assert reasons(index)[3] == "sliding_window"
    assert reasons(index)[4] == "token_budget_fallback"


def test_a_tokenizer_of_its_own_measures_the_budget() -> None:
    strategy = TokenBudgetComposedStrategy(token_budget=4, tokenizer=WordTokenizer())

    index, _ = compacted([user("one two three") for _ in range(3)], strategy)

    assert shown(index) == [2]


def test_what_is_sent_along_counts_towards_the_budget() -> None:
    assert compacted(turns(2), TokenBudgetComposedStrategy(token_budget=4), overhead_tokens=1)[1]


@pytest.mark.parametrize("budget", [0, -1, 1.5, True])
def test_a_bad_budget_is_named(budget: int) -> None:
    with pytest.raises(ValueError, match=r"^token_budget:"):
        TokenBudgetComposedStrategy(token_budget=budget)
