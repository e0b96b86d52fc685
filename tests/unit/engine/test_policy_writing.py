"""Policies from strategies: what was read from JSON is written as it was, and what has no form in JSON is named."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.examples import many
from tests.unit.engine.promises import run_strategy
from tests.unit.engine.random_policies import POLICIES
from tests.unit.engine.random_talk import HISTORIES
from tests.unit.engine.talk import ScriptedSummarizer, Talk, snapshot
from turnfold.compaction.context_window import ContextWindowCompactionStrategy
from turnfold.compaction.pipeline import PipelineCompactionStrategy
from turnfold.compaction.sliding_window import SlidingWindowStrategy
from turnfold.compaction.strategy import CompactionStrategy
from turnfold.compaction.summarization import SummarizationStrategy
from turnfold.compaction.token_budget import TokenBudgetComposedStrategy
from turnfold.compaction.tool_result import ToolResultCompactionStrategy
from turnfold.compaction.truncation import TruncationStrategy
from turnfold.errors import PolicyError
from turnfold.index import MessageIndex
from turnfold.jsonio import is_array, is_object
from turnfold.messages import Message
from turnfold.policy import DEFAULT_POLICY, Policy
from turnfold.tokens import CharacterEstimatorTokenizer, TiktokenTokenizer
from turnfold.triggers import AllOf, Always, CompactionTriggers, Not

TOKENIZERS = st.sampled_from((None, "estimate", "o200k_base"))
WRONG: list[Any] = [-1, 1.5, True, "x", [], {}, None]


def with_tokenizer(policy: dict[str, Any], tokenizer: str | None) -> dict[str, Any]:
    return policy if tokenizer is None else {**policy, "tokenizer": tokenizer}


def places(value: Any, path: str = "") -> list[tuple[Any, Any, str]]:
    """Each field and item below the value: what holds it, its key, and its path."""
    found: list[tuple[Any, Any, str]] = []
    items: Iterable[tuple[Any, Any]] = ()
    if is_object(value) or is_array(value):
        items = value.items() if is_object(value) else enumerate(value)
    for key, inner in items:
        where = f"{path}[{key}]" if isinstance(key, int) else f"{path}.{key}".lstrip(".")
        found += [(value, key, where), *places(inner, where)]
    return found


def fault_of(policy: dict[str, Any]) -> PolicyError | None:
    """The error that the policy is refused with; None: it is taken."""
    try:
        Policy.parse(policy)
    except PolicyError as error:
        return error
    return None


@pytest.mark.property
@many()
@given(POLICIES, TOKENIZERS)
def test_from_policy_to_strategy_and_back_nothing_changes(policy: dict[str, Any], tokenizer: str | None) -> None:
    read = Policy.parse(with_tokenizer(policy, tokenizer))

    assert read.to_dict() == with_tokenizer(policy, tokenizer)
    assert Policy.of(read.strategy, tokenizer=tokenizer).to_dict() == with_tokenizer(policy, tokenizer)


@pytest.mark.property
@many()
@given(HISTORIES, POLICIES)
def test_a_strategy_that_was_written_and_read_again_does_the_same(messages: Talk, policy: dict[str, Any]) -> None:
    strategy = Policy.parse(policy).strategy
    Policy.from_json.cache_clear()
    again = Policy.of(strategy).strategy
    assert again is not strategy

    one, other = MessageIndex(messages), MessageIndex(messages)
    changed = run_strategy(one, strategy)

    assert run_strategy(other, again) == changed
    assert [(g["positions"], g["reason"]) for g in _told(one)] == [(g["positions"], g["reason"]) for g in _told(other)]


def _told(index: MessageIndex) -> list[dict[str, Any]]:
    return [{**group, "positions": group["messages"]} for group in snapshot(index)]


@pytest.mark.property
@many()
@given(POLICIES, st.randoms(use_true_random=False), st.sampled_from(WRONG))
def test_whatever_is_wrong_is_refused_by_a_path_that_leads_there(policy: dict[str, Any], rng: Any, bad: Any) -> None:
    # given a policy with one value that is probably wrong
    broken = json.loads(json.dumps(policy))
    holder, key, path = rng.choice(places(broken))
    holder[key] = bad

    # when
    fault = fault_of(broken)

    # then it is taken as it is, or refused by that place, one around it, or a field beside it that goes with it no more
    if fault is None:
        assert Policy.of(Policy.parse(broken).strategy).to_dict() == broken
    else:
        around = path.rpartition(".")[0]
        assert fault.path.startswith(around) or path.startswith(fault.path)
        assert str(fault).startswith(f"{fault.path}: ")


@pytest.mark.parametrize(
    ("strategy", "policy"),
    [
        (TruncationStrategy(max_n=9, compact_to=4), {"strategy": "truncation", "max_messages": 9, "compact_to": 4}),
        (
            TruncationStrategy(max_n=9, tokenizer=CharacterEstimatorTokenizer()),
            {"strategy": "truncation", "max_tokens": 9},
        ),
        (
            TruncationStrategy(trigger=CompactionTriggers.tokens_exceed(9), target=None, minimum_preserved_groups=2),
            {"strategy": "truncation", "trigger": {"tokens_exceed": 9}, "minimum_preserved": 2},
        ),
        (
            SlidingWindowStrategy(
                trigger=AllOf((Always(), Not(CompactionTriggers.has_tool_calls()))), minimum_preserved_turns=2
            ),
            {
                "strategy": "sliding_window",
                "trigger": {"all": ["always", {"not": "has_tool_calls"}]},
                "minimum_preserved": 2,
            },
        ),
        (
            SummarizationStrategy(client=ScriptedSummarizer(), max_summary_input_tokens=None),
            {"strategy": "summarization", "max_summary_input_tokens": None},
        ),
        (
            PipelineCompactionStrategy(s for s in [ToolResultCompactionStrategy(keep_last_tool_call_groups=1)]),
            {"strategy": "pipeline", "strategies": [{"strategy": "tool_result", "keep_last_tool_call_groups": 1}]},
        ),
        (TokenBudgetComposedStrategy(token_budget=9), {"strategy": "token_budget", "token_budget": 9}),
        (
            ContextWindowCompactionStrategy(max_context_window_tokens=9, max_output_tokens=1, client=object()),
            {"strategy": "context_window", "max_context_window_tokens": 9, "max_output_tokens": 1},
        ),
    ],
)
def test_a_strategy_made_in_python_is_written_with_what_it_was_given(
    strategy: CompactionStrategy, policy: dict[str, Any]
) -> None:
    assert Policy.of(strategy).to_dict() == policy


async def _own(messages: list[Message]) -> bool:
    return False


class OwnStrategy(TruncationStrategy):
    """Does more than its name tells."""


def _a_line(messages: list[Message]) -> str:
    return "line"


@pytest.mark.parametrize(
    ("strategy", "path"),
    [
        (TruncationStrategy(trigger=lambda _index: True), "trigger"),
        (TruncationStrategy(trigger=Always(), target=AllOf((Always(), lambda _index: True))), "target.all[1]"),
        (TruncationStrategy(trigger=Not(lambda _index: True)), "trigger.not"),
        (TruncationStrategy(max_n=9, tokenizer=TiktokenTokenizer()), "tokenizer"),
        (ToolResultCompactionStrategy(trigger=Always(), formatter=_a_line), "formatter"),
        (OwnStrategy(trigger=Always()), "policy"),
        (PipelineCompactionStrategy([_own]), "strategies[0]"),
        (
            PipelineCompactionStrategy(
                [TokenBudgetComposedStrategy(token_budget=9, strategies=[TruncationStrategy(trigger=lambda _i: True)])]
            ),
            "strategies[0].strategies[0].trigger",
        ),
    ],
)
def test_what_has_no_form_in_json_is_named_by_its_path(strategy: CompactionStrategy, path: str) -> None:
    with pytest.raises(PolicyError) as caught:
        Policy.of(strategy)

    assert caught.value.path == path


def test_a_strategys_own_tokenizer_is_written_as_the_policys() -> None:
    own = TruncationStrategy(max_n=9, tokenizer=TiktokenTokenizer("o200k_base"))

    policy = Policy.of(own, tokenizer="o200k_base")

    assert policy.to_dict() == {"strategy": "truncation", "max_tokens": 9, "tokenizer": "o200k_base"}


def test_the_default_policy_is_written_as_it_is() -> None:
    assert Policy.of(Policy.default().strategy, tokenizer="o200k_base").to_dict() == DEFAULT_POLICY


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, object(), b"x"])
def test_what_is_no_json_at_all_is_refused(value: Any) -> None:
    with pytest.raises(PolicyError):
        Policy.parse({"strategy": "truncation", "max_tokens": value})


def test_a_policy_that_holds_itself_is_refused() -> None:
    policy: dict[str, Any] = {"strategy": "pipeline", "strategies": []}
    policy["strategies"].append(policy)

    with pytest.raises(PolicyError, match=r"^policy: "):
        Policy.parse(policy)
