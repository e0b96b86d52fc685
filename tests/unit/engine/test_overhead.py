"""What is sent beside the messages (instructions, tool schemas): declared, or learned from a provider's reports."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from tests.unit.engine.talk import ScriptedSummarizer, compacted, kinds, shown, tool_turn, turns
from turnfold.compaction.context_window import ContextWindowCompactionStrategy
from turnfold.compaction.run import CompactionRun
from turnfold.compaction.strategy import CompactionStrategy
from turnfold.compaction.summarization import SummarizationStrategy
from turnfold.compaction.token_budget import TokenBudgetComposedStrategy
from turnfold.compaction.tool_result import ToolResultCompactionStrategy
from turnfold.compaction.truncation import TruncationStrategy
from turnfold.errors import BadInput
from turnfold.index import MessageIndex
from turnfold.sessions.head import Head
from turnfold.sessions.index_state import state_of
from turnfold.tokens import CharacterEstimatorTokenizer
from turnfold.triggers import CountsView, TokensBelow, TokensExceed
from turnfold.usage import learned_overhead

EIGHT_TOKENS = turns(4)
OWN = CharacterEstimatorTokenizer()


@pytest.mark.parametrize(
    "strategy",
    [
        TruncationStrategy(max_tokens=8),
        TruncationStrategy(max_n=8, tokenizer=OWN),
        TruncationStrategy(trigger=TokensExceed(8), minimum_preserved=1),
        TokenBudgetComposedStrategy(token_budget=8),
        TokenBudgetComposedStrategy(token_budget=8, tokenizer=OWN),
        ContextWindowCompactionStrategy(max_context_window_tokens=10, max_output_tokens=0),
    ],
)
def test_declared_overhead_starts_what_tokens_start_and_must_fit_too(strategy: CompactionStrategy) -> None:
    assert not compacted(EIGHT_TOKENS, strategy)[1]

    index, changed = compacted(EIGHT_TOKENS, strategy, overhead_tokens=3)

    assert changed
    assert index.included.tokens + 3 <= 8


def test_declared_overhead_makes_a_summary_due() -> None:
    strategy = SummarizationStrategy(client=ScriptedSummarizer("Words."), trigger=TokensExceed(80), minimum_preserved=1)

    assert not compacted(turns(4, words=10), strategy)[1]
    assert compacted(turns(4, words=10), strategy, overhead_tokens=1)[1]


def test_declared_overhead_is_part_of_what_a_target_asks() -> None:
    strategy = TruncationStrategy(trigger=TokensExceed(7), target=TokensBelow(7), minimum_preserved=0)

    assert shown(compacted(EIGHT_TOKENS, strategy)[0]) == [2, 3, 4, 5, 6, 7]
    assert shown(compacted(EIGHT_TOKENS, strategy, overhead_tokens=4)[0]) == [6, 7]


def test_overhead_is_never_hidden_and_counts_in_no_total() -> None:
    index = MessageIndex(EIGHT_TOKENS, overhead_tokens=100)

    assert (index.all.tokens, index.live.tokens, index.included.tokens) == (8, 8, 8)


def test_overhead_alone_above_a_limit_leaves_what_the_floor_keeps() -> None:
    index, _ = compacted(EIGHT_TOKENS, TruncationStrategy(max_tokens=8), overhead_tokens=1_000)

    assert shown(index) == [7]


def test_overhead_moves_every_phase_of_a_context_window() -> None:
    # given 310 tokens, and an input budget of 1,000
    talk, window = [*tool_turn("a", "x" * 1200), *turns(4)], {"max_context_window_tokens": 1_200}
    strategy = ContextWindowCompactionStrategy(**window, max_output_tokens=200)

    # then tool results collapse from 500 tokens on, and text goes from 800 on
    assert not compacted(talk, strategy, overhead_tokens=180)[1]
    assert kinds(compacted(talk, strategy, overhead_tokens=220)[0])[1] == "summary"
    assert len(compacted(talk, strategy, overhead_tokens=795)[0].projection()) < 10


def test_a_deferred_summary_is_planned_by_the_tokens_and_what_is_sent_beside_them() -> None:
    strategy = SummarizationStrategy(trigger=TokensExceed(8))
    run, near = CompactionRun(deferred=True), CompactionRun(deferred=True)

    compacted(EIGHT_TOKENS, strategy, run=run, overhead_tokens=1)
    compacted(EIGHT_TOKENS, strategy, run=near)

    assert [(action.triggered, action.reason) for action in run.actions] == [(True, "deferred")]
    assert [action.triggered for action in near.actions] == [False]


def test_tool_results_that_are_collapsed_leave_the_overhead_as_it_is() -> None:
    strategy = ToolResultCompactionStrategy(trigger=TokensExceed(120), minimum_preserved=0, max_result_chars=40)

    index, changed = compacted(tool_turn("a", "x" * 400), strategy, overhead_tokens=40)

    assert changed
    assert index.overhead_tokens == 40


def head_of(messages: list[dict[str, Any]], *, known: int = 0) -> Head:
    blank = Head(incarnation="i", ttl_seconds=60)
    return replace(blank, state=state_of(MessageIndex(messages)), overhead_tokens=known)


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": 108, "completion_tokens": 5},
        {"input_tokens": 108},
        {"prompt_tokens": None, "input_tokens": 108},
        SimpleNamespace(prompt_tokens=108),
        SimpleNamespace(input_tokens=108),
    ],
)
def test_what_a_provider_reports_above_what_is_counted_is_overhead(usage: Any) -> None:
    learned = learned_overhead(head_of(EIGHT_TOKENS), usage)

    assert learned == 100
    assert TokensExceed(107)(CountsView(MessageIndex(EIGHT_TOKENS).live, learned))


def test_a_newer_report_replaces_what_was_learned_before() -> None:
    assert learned_overhead(head_of(EIGHT_TOKENS, known=77), {"prompt_tokens": 18}) == 10


def test_a_report_below_what_is_counted_means_no_overhead() -> None:
    assert learned_overhead(head_of(EIGHT_TOKENS, known=77), {"prompt_tokens": 3}) == 0


@pytest.mark.parametrize("usage", [None, {}, {"completion_tokens": 9}, SimpleNamespace()])
def test_without_a_report_what_is_known_stays(usage: Any) -> None:
    assert learned_overhead(head_of(EIGHT_TOKENS, known=77), usage) == 77


def test_before_anything_is_counted_nothing_is_learned() -> None:
    assert learned_overhead(replace(head_of([]), state={}), {"prompt_tokens": 100}) == 0


@pytest.mark.parametrize("value", [-1, 1.5, "7", True])
@pytest.mark.parametrize("name", ["prompt_tokens", "input_tokens"])
def test_a_report_that_is_no_number_is_named(name: str, value: Any) -> None:
    with pytest.raises(BadInput) as caught:
        learned_overhead(head_of(EIGHT_TOKENS), {name: value})

    assert caught.value.path == f"usage.{name}"
