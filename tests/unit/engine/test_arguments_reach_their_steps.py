"""What a composed strategy is given reaches its steps, what is wrong is named, and what was done is told in numbers."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.unit.engine.talk import calling, result, system, tool_turn, turns, user
from turnfold import (
    ContextWindowCompactionStrategy,
    SlidingWindowStrategy,
    SummarizationStrategy,
    TokenBudgetComposedStrategy,
    ToolResultCompactionStrategy,
    TruncationStrategy,
)
from turnfold.compaction.apply import apply_compaction
from turnfold.compaction.custom import as_strategy
from turnfold.compaction.run import CompactionRun
from turnfold.groups import MessageGroupKind
from turnfold.index import MessageIndex
from turnfold.messages import Message
from turnfold.tokens import CharacterEstimatorTokenizer
from turnfold.triggers import Always, Never, TokensExceed

WORDS = "word " * 80  # a hundred tokens


def test_the_phases_of_a_context_window_have_its_floor_its_thresholds_and_its_client() -> None:
    client: Any = object()
    window = ContextWindowCompactionStrategy(
        max_context_window_tokens=1_000,
        max_output_tokens=100,
        summarization_threshold=0.6,
        minimum_preserved=7,
        client=client,
    )
    tools, summaries, truncation = window.phases
    assert isinstance(tools, ToolResultCompactionStrategy)
    assert isinstance(summaries, SummarizationStrategy)
    assert isinstance(truncation, TruncationStrategy)
    assert [step.minimum_preserved for step in (tools, summaries, truncation)] == [7, 7, 7]
    assert [step.trigger for step in (tools, summaries, truncation)] == [
        TokensExceed(450), TokensExceed(540), TokensExceed(720),
    ]  # fmt: skip
    assert summaries.client is client


@pytest.mark.parametrize("size", [{"max_context_window_tokens": 1, "max_output_tokens": 0}])
def test_the_smallest_window_is_one_token(size: dict[str, int]) -> None:
    assert ContextWindowCompactionStrategy(**size).input_budget_tokens == 1


@pytest.mark.parametrize(
    ("given", "stated"),
    [
        ({"trigger": Always()}, False),
        ({"trigger": Always(), "target": Never()}, True),
        ({"target_count": 4}, True),
    ],
)
def test_a_summarization_knows_whether_its_target_was_stated(given: dict[str, Any], *, stated: bool) -> None:
    assert SummarizationStrategy(**given).target_is_stated is stated


def test_the_defaults_of_a_summarization_are_the_documented_ones() -> None:
    step = SummarizationStrategy(trigger=Always())
    assert (step.max_summary_input_tokens, step.min_source_tokens, step.summary_ratio) == (8_000, 1_000, 0.1)
    assert step.minimum_preserved == 4
    assert SummarizationStrategy(target_count=9).minimum_preserved == 4
    assert SummarizationStrategy(target_count=2).minimum_preserved == 2
    assert SummarizationStrategy(trigger=Always(), max_summary_input_tokens=1).max_summary_input_tokens == 1
    assert SummarizationStrategy(trigger=Always(), fallback="none").fallback == "none"


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: SummarizationStrategy(target_count=4, trigger=Always()), "trigger: target_count gives the trigger"),
        (lambda: SummarizationStrategy(threshold=2, trigger=Always()), "threshold: goes with target_count; beside a "),
        (lambda: SummarizationStrategy(trigger=Always(), max_summary_input_tokens=0), "max_summary_input_tokens: must"),
        (lambda: ToolResultCompactionStrategy(trigger=Always(), max_chars=9), "max_chars: must be a whole number of a"),
        (ToolResultCompactionStrategy, "trigger: give a trigger, or keep_last_tool_call_groups"),
        (TruncationStrategy, "trigger: give a trigger, or max_tokens or max_messages as a shorthand"),
        (lambda: TruncationStrategy(max_tokens=3, max_messages=4), "max_messages: max_tokens says the same"),
        (lambda: TruncationStrategy(trigger=Always(), compact_to=3), "compact_to: goes with max_tokens or max_messag"),
    ],
)
def test_what_does_not_go_together_is_named(make: Any, said: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(said)}"):
        make()


async def test_a_summarization_is_due_from_two_groups_on() -> None:
    step = SummarizationStrategy(trigger=Always())
    assert not step.is_due(MessageIndex([system(), user()]))
    assert step.is_due(MessageIndex([user(), user()]))


async def test_in_place_without_a_summarizer_the_action_says_so_and_tells_the_tokens() -> None:
    index, run = MessageIndex([user(WORDS) for _ in range(9)]), CompactionRun()
    await SummarizationStrategy(trigger=Always(), min_source_tokens=0).compact(index, run)
    (action,) = run.actions
    assert (action.strategy, action.triggered, action.changed) == ("summarization", True, False)
    assert (action.before_tokens, action.after_tokens) == (900, 900)
    assert action.reason == "no summarizer: give the strategy a client, or the run a summarizer"


async def test_only_a_deferred_step_looks_at_what_inline_steps_hid() -> None:
    for deferred, triggered in ((False, False), (True, True)):
        index = MessageIndex([user(WORDS) for _ in range(9)])
        for group in index.groups[:8]:
            index.exclude(group, "truncation")
        run = CompactionRun(deferred=deferred)
        await SummarizationStrategy(trigger=TokensExceed(500), min_source_tokens=0).compact(index, run)
        assert run.actions[0].triggered is triggered


async def test_a_budget_by_another_tokenizer_is_measured_by_it() -> None:
    index = MessageIndex([user("x" * 40) for _ in range(10)])  # 100 tokens, 400 letters
    await TokenBudgetComposedStrategy(token_budget=200, tokenizer=Letters()).compact(index)
    assert index.included.groups == 5


async def test_the_fallback_of_a_budget_tells_what_it_did_and_leaves_one_group() -> None:
    index, run = MessageIndex([system(WORDS), *(user(WORDS) for _ in range(4))]), CompactionRun()
    window = SlidingWindowStrategy(keep_last_groups=3)
    changed = await TokenBudgetComposedStrategy(token_budget=250, strategies=[window]).compact(index, run)
    assert changed is True
    assert [(a.strategy, a.triggered, a.changed, a.before_tokens, a.after_tokens) for a in run.actions] == [
        ("sliding_window", True, True, 500, 400),
        ("token_budget_fallback", True, True, 400, 200),
    ]
    alone = MessageIndex([user(WORDS)])
    assert await TokenBudgetComposedStrategy(token_budget=10).compact(alone, run) is False
    assert alone.included.groups == 1


async def test_a_callable_is_told_by_its_name_with_the_tokens_before_and_after() -> None:
    async def newest(messages: list[Message]) -> bool:
        del messages[:-1]
        return True

    class Keeper:
        name = "keeper"

        async def __call__(self, messages: list[Message]) -> bool:
            return False

    class Nameless:
        async def __call__(self, messages: list[Message]) -> bool:
            return False

    run = CompactionRun()
    for function in (newest, Keeper(), Nameless()):
        await as_strategy(function).compact(MessageIndex([user(WORDS) for _ in range(3)]), run)
    assert [(a.strategy, a.triggered, a.changed, a.before_tokens, a.after_tokens) for a in run.actions] == [
        ("newest", True, True, 300, 100),
        ("keeper", True, False, 300, 300),
        ("Nameless", True, False, 300, 300),
    ]


async def test_the_line_of_a_collapsed_call_names_its_source_and_is_marked_as_one() -> None:
    index = MessageIndex([*tool_turn("a", WORDS * 2), *turns(2)])
    await ToolResultCompactionStrategy(keep_last_tool_call_groups=0).compact(index)
    (line,) = index.made_groups
    (source,) = line.summary_of
    assert line.messages[0].metadata == {"summary_of": [source], "collapsed": True}


async def test_calls_of_several_messages_of_a_group_and_calls_without_results_are_all_told() -> None:
    legacy = {"role": "assistant", "content": None, "function_call": {"name": "old", "arguments": WORDS}}
    index = MessageIndex([legacy, {"role": "function", "name": "old", "content": "in the cellar"}, *turns(2)])
    await ToolResultCompactionStrategy(keep_last_tool_call_groups=0).compact(index)
    assert index.made_groups[0].messages[0].text == "[Tool results: old: in the cellar]"


async def test_names_alone_are_cut_to_the_character() -> None:
    name = "look_" * 8  # forty characters
    for most, text in ((54, f"[Tool calls: {name}]"), (53, f"[Tool calls: {name[:30]} ...[cut]]")):
        index = MessageIndex([calling("a", name=name), result("a", WORDS), *turns(2)])
        step = ToolResultCompactionStrategy(keep_last_tool_call_groups=0, style="calls", max_chars=most)
        await step.compact(index)
        assert index.made_groups[0].messages[0].text == text


async def test_a_target_beside_the_shorthand_of_tool_calls_stops_it() -> None:
    index = MessageIndex([message for n in range(4) for message in tool_turn(f"c{n}", WORDS)])
    step = ToolResultCompactionStrategy(keep_last_tool_call_groups=0, target=Always())
    assert await step.compact(index) is False


class Letters(CharacterEstimatorTokenizer):
    """A token a character."""

    def count_tokens(self, text: str) -> int:
        return len(text)


async def test_a_plain_list_is_measured_by_the_tokenizer_that_is_given() -> None:
    messages = [user("x" * 40) for _ in range(10)]  # 100 tokens, 400 letters
    strategy = TruncationStrategy(max_tokens=200)
    assert len(await apply_compaction(messages, strategy=strategy)) == 10
    assert len(await apply_compaction(messages, strategy=strategy, tokenizer=Letters())) == 5


async def test_a_window_of_turns_is_exceeded_by_turns_and_one_of_groups_by_groups() -> None:
    talk = [message for n in range(3) for message in tool_turn(f"c{n}")]  # three turns of two groups
    for window, triggered in (
        (SlidingWindowStrategy(keep_last_turns=3), False),
        (SlidingWindowStrategy(keep_last_turns=2), True),
        (SlidingWindowStrategy(keep_last_groups=5), True),
        (SlidingWindowStrategy(keep_last_groups=6), False),
    ):
        run = CompactionRun()
        await window.compact(MessageIndex(talk), run)
        assert run.actions[0].triggered is triggered, window.given


async def test_a_summary_is_measured_as_the_message_that_it_becomes() -> None:
    index = MessageIndex([user(WORDS) for _ in range(9)], tokenizer=Letters())
    step = SummarizationStrategy(trigger=Always(), min_source_tokens=0)
    request = step.request(index, tuple(index.groups[:4]))
    assert request.count_tokens("They spoke.") == len("They spoke.")
    assert request.source_tokens == 4 * len(WORDS)


async def test_what_a_callable_put_in_is_a_summary_that_no_policy_makes_anew() -> None:
    async def one_line(messages: list[Message]) -> bool:
        messages[:2] = [Message(role="assistant", content="They spoke.")]
        return True

    index = MessageIndex([user("one"), user("two"), user("three")])
    await as_strategy(one_line).compact(index)
    (made,) = index.made_groups
    assert (made.kind, made.durable, made.summary_of, made.place) == (MessageGroupKind.SUMMARY, True, ("g0", "g1"), 0)
