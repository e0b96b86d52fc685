"""Policies: strategies as JSON, and errors that name the path."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.engine.talk import compacted, shown, system, tool_turn, turns
from turnfold.compaction.context_window import ContextWindowCompactionStrategy
from turnfold.compaction.pipeline import PipelineCompactionStrategy
from turnfold.compaction.strategy import TriggeredStrategy
from turnfold.compaction.summarization import SummarizationStrategy
from turnfold.errors import PolicyError
from turnfold.policy import DEFAULT_POLICY, Policy
from turnfold.policy.argument import policy_from_argument
from turnfold.tokens import TiktokenTokenizer
from turnfold.triggers import CountsView

TRUNCATION = {"strategy": "truncation", "trigger": "always"}


def nested(depth: int, leaf: dict[str, Any] = TRUNCATION) -> dict[str, Any]:
    return leaf if depth == 0 else {"strategy": "pipeline", "strategies": [nested(depth - 1, leaf)]}


def negated(depth: int) -> Any:
    return "always" if depth == 0 else {"not": negated(depth - 1)}


@pytest.mark.parametrize(
    "policy",
    [
        {"strategy": "truncation", "max_tokens": 10, "compact_to": 5, "minimum_preserved": 2, "preserve_system": False},
        {"strategy": "truncation", "max_messages": 10, "target": {"tokens_below": 7}},
        {"strategy": "truncation", "max_tokens": 2**63 - 1},
        {"strategy": "sliding_window", "keep_last_turns": 2},
        {"strategy": "sliding_window", "keep_last_groups": 2, "preserve_system": False},
        {"strategy": "tool_result", "trigger": "has_tool_calls", "keep_last_tool_call_groups": 1, "style": "calls"},
        {"strategy": "tool_result", "keep_last_tool_call_groups": 0, "max_result_chars": 10, "max_chars": 100},
        {"strategy": "selective_tool_call", "trigger": {"turns_exceed": 3}},
        {"strategy": "summarization"},
        {"strategy": "summarization", "target_count": 8, "threshold": 0, "max_summary_input_tokens": None},
        {
            "strategy": "summarization",
            "trigger": {"any": [{"all": ["always", {"not": "never"}]}, {"groups_exceed": 3}, {"messages_exceed": 3}]},
            "prompt": "Short.",
            "model": "small",
            "summary_ratio": 0.2,
            "min_source_tokens": 0,
            "fallback": "extractive",
        },
        {"strategy": "pipeline", "strategies": []},
        {"strategy": "token_budget", "token_budget": 10, "strategies": [TRUNCATION], "early_stop": False},
        {
            "strategy": "context_window",
            "max_context_window_tokens": 1000,
            "max_output_tokens": 100,
            "tool_eviction_threshold": 0.5,
            "summarization_threshold": 0.6,
            "truncation_threshold": 1,
            "minimum_preserved": 0,
        },
        {**TRUNCATION, "tokenizer": "o200k_base"},
        {**TRUNCATION, "tokenizer": "gpt-4o"},
    ],
)
def test_every_field_of_the_contract_is_taken_and_comes_back_unchanged(policy: dict[str, Any]) -> None:
    assert Policy.parse(policy).to_dict() == policy


@pytest.mark.parametrize(
    ("policy", "path"),
    [
        ({}, "strategy"),
        ({"strategy": "shrinkify"}, "strategy"),
        ({"strategy": 7}, "strategy"),
        ([], "policy"),
        ("always", "policy"),
        ({**TRUNCATION, "minimum_preservd": 3}, "minimum_preservd"),
        ({**TRUNCATION, "minimum_preserved": -1}, "minimum_preserved"),
        ({**TRUNCATION, "minimum_preserved": 1.5}, "minimum_preserved"),
        ({**TRUNCATION, "minimum_preserved": True}, "minimum_preserved"),
        ({**TRUNCATION, "preserve_system": "no"}, "preserve_system"),
        ({**TRUNCATION, "max_tokens": 10}, "trigger"),
        ({**TRUNCATION, "compact_to": 10}, "compact_to"),
        ({**TRUNCATION, "max_n": 10}, "max_n"),
        ({"strategy": "truncation", "max_tokens": 10, "max_messages": 10}, "max_messages"),
        ({"strategy": "truncation", "max_tokens": 10, "compact_to": 20}, "compact_to"),
        ({"strategy": "truncation", "max_tokens": 0}, "max_tokens"),
        ({"strategy": "truncation"}, "trigger"),
        ({"strategy": "sliding_window"}, "trigger"),
        ({"strategy": "tool_result"}, "trigger"),
        ({"strategy": "selective_tool_call"}, "trigger"),
        ({"strategy": "sliding_window", "keep_last_turns": 2, "trigger": "always"}, "trigger"),
        ({"strategy": "sliding_window", "keep_last_groups": 2, "trigger": "always"}, "trigger"),
        ({"strategy": "summarization", "target_count": 2, "trigger": "always"}, "trigger"),
        ({"strategy": "summarization", "summary_ratio": 1.5}, "summary_ratio"),
        ({"strategy": "summarization", "prompt": ""}, "prompt"),
        ({"strategy": "summarization", "fallback": "magic"}, "fallback"),
        ({"strategy": "tool_result", "trigger": "always", "style": "haiku"}, "style"),
        ({"strategy": "pipeline"}, "strategies"),
        ({"strategy": "pipeline", "strategies": {}}, "strategies"),
        ({"strategy": "pipeline", "strategies": [], "trigger": "always"}, "trigger"),
        ({"strategy": "pipeline", "strategies": [], "target": "always"}, "target"),
        ({"strategy": "pipeline", "strategies": [], "minimum_preserved": 2}, "minimum_preserved"),
        ({"strategy": "pipeline", "strategies": [TRUNCATION, {"strategy": "x"}]}, "strategies[1].strategy"),
        ({"strategy": "pipeline", "strategies": ["truncation"]}, "strategies[0]"),
        ({"strategy": "token_budget", "strategies": []}, "token_budget"),
        ({"strategy": "token_budget", "token_budget": 0}, "token_budget"),
        ({"strategy": "token_budget", "token_budget": 10, "trigger": "always"}, "trigger"),
        ({"strategy": "token_budget", "token_budget": 10, "minimum_preserved": 2}, "minimum_preserved"),
        ({"strategy": "context_window", "max_context_window_tokens": 10}, "max_output_tokens"),
        ({"strategy": "context_window", "max_context_window_tokens": 9, "max_output_tokens": 9}, "max_output_tokens"),
        (
            {"strategy": "context_window", "max_context_window_tokens": 9, "max_output_tokens": 1, "trigger": "always"},
            "trigger",
        ),
        ({"strategy": "truncation", "trigger": "sometimes"}, "trigger"),
        ({"strategy": "truncation", "trigger": {"tokens_exceed": -4}}, "trigger.tokens_exceed"),
        ({"strategy": "truncation", "trigger": {"tokens_exceed": "4"}}, "trigger.tokens_exceed"),
        ({"strategy": "truncation", "trigger": {"words_exceed": 4}}, "trigger.words_exceed"),
        ({"strategy": "truncation", "trigger": {"tokens_exceed": 4, "turns_exceed": 4}}, "trigger"),
        ({"strategy": "truncation", "trigger": {"all": ["always", {"any": ["x"]}]}}, "trigger.all[1].any[0]"),
        ({"strategy": "truncation", "trigger": {"all": "always"}}, "trigger.all"),
        ({**TRUNCATION, "target": {"not": 7}}, "target.not"),
        ({**TRUNCATION, "tokenizer": "klingon_base"}, "tokenizer"),
        ({**TRUNCATION, "tokenizer": 7}, "tokenizer"),
        ({"strategy": "pipeline", "strategies": [{**TRUNCATION, "tokenizer": "estimate"}]}, "strategies[0].tokenizer"),
        ({"strategy": "truncation", "max_tokens": 2**63}, "max_tokens"),
        (
            {"strategy": "pipeline", "strategies": [{**TRUNCATION, "target": {"tokens_below": 10**30}}]},
            "strategies[0].target.tokens_below",
        ),
        ({"strategy": "summarization", "summary_ratio": 10**30}, "summary_ratio"),
        ({"strategy": "summarization", "max_summary_input_tokens": 10**400}, "max_summary_input_tokens"),
    ],
)
def test_a_faulty_policy_is_refused_with_the_path_of_the_fault(policy: Any, path: str) -> None:
    with pytest.raises(PolicyError) as caught:
        Policy.parse(policy)

    assert caught.value.path == path
    assert str(caught.value).startswith(path)


def test_16_levels_of_nesting_are_allowed_and_not_more() -> None:
    Policy.parse(nested(15))
    Policy.parse({"strategy": "truncation", "trigger": negated(16)})

    with pytest.raises(PolicyError, match="16"):
        Policy.parse(nested(17))
    with pytest.raises(PolicyError, match="16"):
        Policy.parse({"strategy": "truncation", "trigger": negated(17)})


def test_a_policy_nested_without_end_is_refused_in_one_line() -> None:
    with pytest.raises(PolicyError):
        Policy.parse(nested(500))
    with pytest.raises(PolicyError):
        policy_from_argument('{"strategy": "pipeline", "strategies": [' * 100_000)


def test_the_tokenizer_at_the_top_is_what_the_numbers_are_meant_in() -> None:
    assert Policy.parse(TRUNCATION).tokenizer_name == "estimate"
    assert isinstance(Policy.parse({**TRUNCATION, "tokenizer": "o200k_base"}).tokenizer, TiktokenTokenizer)


def test_the_same_policy_is_parsed_once() -> None:
    assert Policy.parse(TRUNCATION) is Policy.parse(dict(TRUNCATION))


def test_a_policy_does_what_its_strategy_does() -> None:
    policy = Policy.parse({"strategy": "sliding_window", "keep_last_turns": 1})

    assert shown(compacted([system(), *turns(3)], policy.strategy)[0]) == [0, 5, 6]


def test_selective_tool_calls_with_only_a_trigger_keep_one() -> None:
    policy = Policy.parse({"strategy": "selective_tool_call", "trigger": "always"})

    assert shown(compacted([*tool_turn("a"), *tool_turn("b")], policy.strategy)[0]) == [0, 3, 4, 5]


def test_a_summarization_that_says_nothing_takes_its_defaults() -> None:
    (step,) = Policy.parse({"strategy": "summarization"}).summarizations

    assert step.keeps_messages == (4, 2)
    assert (step.minimum_preserved, step.max_summary_input_tokens) == (4, 8000)
    assert (step.summary_ratio, step.min_source_tokens) == (0.1, 1000)


def test_default_floors() -> None:
    def floor(policy: dict[str, Any]) -> int:
        strategy = Policy.parse(policy).strategy
        assert isinstance(strategy, (TriggeredStrategy, SummarizationStrategy, ContextWindowCompactionStrategy))
        return strategy.minimum_preserved

    assert floor(TRUNCATION) == 32
    assert floor({"strategy": "truncation", "max_tokens": 9}) == 1
    assert floor({"strategy": "sliding_window", "trigger": "always"}) == 1
    assert floor({"strategy": "tool_result", "trigger": "always"}) == 2
    assert floor({"strategy": "summarization", "trigger": "always"}) == 4
    assert floor({"strategy": "context_window", "max_context_window_tokens": 9, "max_output_tokens": 1}) == 2


def test_the_default_policy_folds_in_few_large_steps() -> None:
    policy = Policy.default()

    assert policy.to_dict() == DEFAULT_POLICY
    assert policy.tokenizer_name == "o200k_base"
    assert isinstance(policy.strategy, PipelineCompactionStrategy)
    assert [strategy.name for strategy in policy.strategy.strategies] == ["tool_result", "summarization", "truncation"]


def test_the_first_summarization_that_is_due_is_found_wherever_it_stands() -> None:
    steps = [
        {"strategy": "summarization", "trigger": {"messages_exceed": 100}},
        {"strategy": "token_budget", "token_budget": 7, "strategies": [{"strategy": "summarization"}]},
    ]
    policy = Policy.parse({"strategy": "pipeline", "strategies": steps})
    index, _ = compacted(turns(4), Policy.parse(nested(1, {"strategy": "truncation", "trigger": "never"})).strategy)

    assert len(policy.summarizations) == 2
    assert policy.due_step(CountsView(index.live)) == 1


def test_within_its_budget_a_container_has_no_summary_made() -> None:
    step = {"strategy": "summarization", "trigger": "always"}
    index, _ = compacted(turns(4), Policy.parse(nested(1, {"strategy": "truncation", "trigger": "never"})).strategy)
    assert index.live.tokens == 8

    within = Policy.parse({"strategy": "token_budget", "token_budget": 8, "strategies": [step]})
    nested_within = Policy.parse(
        {"strategy": "token_budget", "token_budget": 9, "strategies": [{"strategy": "pipeline", "strategies": [step]}]}
    )
    over = Policy.parse({"strategy": "token_budget", "token_budget": 7, "strategies": [step]})

    assert within.due_step(CountsView(index.live)) is None
    assert nested_within.due_step(CountsView(index.live)) is None
    assert over.due_step(CountsView(index.live)) == 0
    assert Policy.parse(TRUNCATION).due_step(CountsView(index.live)) is None


def test_a_policy_argument_is_json_or_a_file(tmp_path: Path) -> None:
    file = tmp_path / "policy.json"
    file.write_text(json.dumps(TRUNCATION), encoding="utf-8")

    assert policy_from_argument(str(file)) is policy_from_argument(json.dumps(TRUNCATION))


@pytest.mark.parametrize("argument", ["no-such-file.json", '{"strategy": ', "", "{} {}"])
def test_a_policy_argument_that_is_neither_is_said_to_be_none(argument: str) -> None:
    with pytest.raises(PolicyError, match=r"^(policy|strategy)"):
        policy_from_argument(argument)
