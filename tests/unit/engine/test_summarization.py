"""Summaries in place: which groups are folded, and what stands there afterwards."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.unit.engine.asking import words
from tests.unit.engine.folding import LONG, folding, sources
from tests.unit.engine.talk import (
    ScriptedSummarizer,
    Talk,
    calling,
    compact_again,
    compacted,
    kinds,
    reasons,
    result,
    shown,
    snapshot,
    system,
    texts,
    tool_turn,
    turns,
    user,
)
from turnfold.compaction.run import CompactionRun
from turnfold.compaction.summarization import SummarizationStrategy
from turnfold.compaction.tool_result import ToolResultCompactionStrategy
from turnfold.compaction.truncation import TruncationStrategy
from turnfold.errors import SummarizerRefused, SummarizerTransient
from turnfold.index import MessageIndex
from turnfold.summaries.summarizer import SummaryReply
from turnfold.triggers import Always, MessagesExceed, TokensBelow, TokensExceed


def test_the_oldest_groups_become_one_summary_at_their_place() -> None:
    index, changed = compacted([system(), *LONG], folding())

    assert changed
    assert kinds(index)[:2] == ["system", "summary"]
    assert sources(index) == [list(range(1, 11))]
    assert shown(index) == [0, 11, 12]
    assert index.projection()[1] == {"role": "assistant", "content": "[Summary]\nThe user said hello."}


def test_source_and_summary_name_each_other() -> None:
    index, _ = compacted(LONG, folding())

    summary = index.groups[0]
    assert all(g.summarized_by == summary.id and g.reason == "summarization" for g in index.groups[1:11])
    assert summary.summary_of == tuple(g.id for g in index.groups[1:11])


def test_a_summary_knows_what_it_was_made_from_and_by_what() -> None:
    index, _ = compacted(LONG, folding())

    (message, *_) = index.projection()
    assert message.metadata["summary_of"] == list(index.groups[0].summary_of)
    assert message.metadata["model"] == "scripted-1"
    assert message.metadata["degraded"] is False


def test_a_summary_has_no_turn() -> None:
    index, _ = compacted(LONG, folding())

    assert index.groups[0].turn is None
    assert index.included.turns == 1


def test_the_default_floor_is_four_groups() -> None:
    index, _ = compacted(LONG, SummarizationStrategy(client=ScriptedSummarizer(), trigger=Always()))

    assert shown(index) == [8, 9, 10, 11]


def test_by_default_it_starts_above_six_messages_and_leaves_four() -> None:
    strategy = SummarizationStrategy(client=ScriptedSummarizer())

    assert not compacted([system(), *LONG[:6]], strategy)[1]
    assert shown(compacted([system(), *LONG[:7]], strategy)[0]) == [0, 4, 5, 6, 7]


def test_target_count_and_threshold_count_messages_beside_the_system() -> None:
    strategy = folding(target_count=2, threshold=1)

    assert not compacted([system(), system(), *LONG[:3]], strategy)[1]
    assert shown(compacted([system(), system(), *LONG[:4]], strategy)[0]) == [0, 1, 4, 5]


def test_the_group_that_crosses_the_target_count_is_kept() -> None:
    messages = [user("x" * 400), calling("a", "b"), result("a", "x" * 400), result("b"), user()]

    index, _ = compacted(messages, folding(target_count=3, threshold=1, minimum_preserved=1))

    assert shown(index) == [1, 2, 3, 4]


def test_it_stops_when_the_target_holds() -> None:
    index, _ = compacted(LONG, folding(trigger=TokensExceed(300), target=TokensBelow(451), minimum_preserved=1))

    assert sources(index) == [[0, 1, 2]]


def test_earlier_summaries_are_folded_too_and_the_chain_is_kept() -> None:
    # given
    summarizer = ScriptedSummarizer("First summary: the crate is on its way.", "Second summary.")
    strategy = folding(summarizer)
    index, _ = compacted(LONG, strategy)
    first = index.groups[0]

    # when
    index.append(turns(3, words=50))
    compact_again(index, strategy)

    # then
    second = index.group(first.summarized_by or "")
    assert second is not None
    assert second.summary_of[0] == first.id
    assert summarizer.asked[1].earlier == ["First summary: the crate is on its way."]
    assert texts(index.projection())[0] == "[Summary]\nSecond summary."


def test_a_selection_of_one_earlier_summary_alone_is_nothing_to_do() -> None:
    summarizer, run = ScriptedSummarizer(), CompactionRun()
    index, _ = compacted(LONG, folding(summarizer))
    before = snapshot(index)

    assert not compact_again(index, folding(summarizer), run=run)
    assert snapshot(index) == before
    assert len(summarizer.asked) == 1
    assert run.actions[0].reason == "nothing_to_do"


def test_a_reply_above_what_was_asked_for_but_below_its_sources_is_taken() -> None:
    index, changed = compacted([user("x" * 4000), *LONG[:2]], folding(ScriptedSummarizer(words(160))))

    assert changed
    assert shown(index) == [1, 2]


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "  \n",
        "NONE",
        "I'm sorry, but I can't help with that.",
        "long " * 2000,
        SummaryReply(text="x", model="m", refusal="no"),
    ],
)
def test_a_reply_that_does_not_pass_leaves_the_sources_as_they_were(reply: str | SummaryReply) -> None:
    run = CompactionRun()

    index, changed = compacted(LONG, folding(ScriptedSummarizer(reply)), run=run)

    assert not changed
    assert index.projection() == LONG
    assert all(group.summarized_by is None for group in index.groups)
    assert run.actions[0].triggered
    assert run.actions[0].reason


@pytest.mark.parametrize("failure", [SummarizerTransient("busy"), SummarizerRefused("the model answered 400")])
def test_a_failure_leaves_the_sources_as_they_were_and_is_told(failure: Exception) -> None:
    run = CompactionRun()

    index, changed = compacted(LONG, folding(ScriptedSummarizer(failure)), run=run)

    assert not changed
    assert index.projection() == LONG
    assert str(failure) in (run.actions[0].reason or "")


@pytest.mark.parametrize("failure", [asyncio.CancelledError(), RuntimeError("a bug")])
def test_whatever_ends_the_call_nothing_is_hidden(failure: BaseException) -> None:
    def fail() -> None:
        raise failure

    index = MessageIndex(LONG)

    with pytest.raises(type(failure)):
        asyncio.run(folding(ScriptedSummarizer(during=fail)).compact(index))

    assert index.projection() == LONG
    assert index.included == index.all


def test_nothing_is_hidden_while_the_summarizer_works() -> None:
    # given
    index = MessageIndex(LONG)
    seen: list[int] = []
    summarizer = ScriptedSummarizer(during=lambda: seen.append(len(index.projection())))

    # when
    compact_again(index, folding(summarizer))

    # then
    assert seen == [len(LONG)]


def test_the_fallback_writes_in_place_of_a_model_whose_replies_do_not_pass_and_is_marked() -> None:
    index, changed = compacted(LONG, folding(ScriptedSummarizer("NONE"), fallback="extractive"))

    assert changed
    assert index.projection()[0].metadata["degraded"] is True
    assert index.projection()[0].metadata["model"] == "extractive"


def test_a_deferred_step_plans_hides_nothing_and_says_so() -> None:
    summarizer = ScriptedSummarizer()
    run = CompactionRun(deferred=True, summarizer=summarizer)

    index, changed = compacted(LONG, folding(summarizer), run=run)

    assert not changed
    assert index.projection() == LONG
    assert summarizer.asked == []
    assert [(a.triggered, a.changed, a.reason) for a in run.actions] == [(True, False, "deferred")]


def test_the_trigger_of_a_deferred_step_is_read_as_if_no_inline_step_had_hidden_anything() -> None:
    # given inline truncation has hidden most of it
    index, _ = compacted(LONG, TruncationStrategy(trigger=Always(), minimum_preserved=2))
    run = CompactionRun(deferred=True)

    # when
    compact_again(index, folding(trigger=MessagesExceed(10)), run=run)

    # then
    assert run.actions[0].triggered


def test_a_summary_takes_its_sources_out_of_what_is_live_and_a_line_does_not() -> None:
    line = ToolResultCompactionStrategy(trigger=Always(), minimum_preserved=2)

    folded, _ = compacted(LONG, folding())
    collapsed, _ = compacted([*tool_turn("a", "y" * 2000), *LONG], line)

    assert (folded.live.messages, folded.all.messages) == (3, 12)
    assert collapsed.live == collapsed.all


def test_a_summary_of_a_line_takes_what_stands_behind_the_line_out_of_what_is_live() -> None:
    # given a tool call that stands behind a line
    line = ToolResultCompactionStrategy(trigger=Always(), minimum_preserved=2)
    index, _ = compacted([*tool_turn("a", "y" * 2000), *LONG], line)

    # when
    compact_again(index, folding())

    # then
    shown = index.included
    assert (index.live.messages, index.live.tokens) == (shown.messages, shown.tokens)


def test_orphans_and_dangling_calls_do_not_stop_a_selection() -> None:
    messages: Talk = [user("x" * 400), result("nobody"), calling("never"), *LONG]

    index, changed = compacted(messages, folding())

    assert changed
    assert reasons(index)[1] == "orphan_tool_result"
    assert reasons(index)[2] == "dangling_tool_call"


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"target_count": 0}, "target_count"),
        ({"target_count": -1}, "target_count"),
        ({"target_count": 4, "threshold": -1}, "threshold"),
        ({"target_count": 4, "trigger": Always()}, "trigger"),
        ({"max_summary_input_tokens": 0}, "max_summary_input_tokens"),
        ({"min_source_tokens": -1}, "min_source_tokens"),
        ({"summary_ratio": 0}, "summary_ratio"),
        ({"summary_ratio": 1}, "summary_ratio"),
        ({"summary_ratio": True}, "summary_ratio"),
        ({"fallback": "magic"}, "fallback"),
        ({"minimum_preserved": -1}, "minimum_preserved"),
    ],
)
def test_bad_arguments_are_named(options: dict[str, Any], argument: str) -> None:
    with pytest.raises(ValueError, match=f"^{argument}:"):
        SummarizationStrategy(**options)


def test_a_client_of_the_wrong_kind_is_told_what_would_do() -> None:
    with pytest.raises(TypeError, match="get_response"):
        compacted(LONG, SummarizationStrategy(client=object(), trigger=Always(), minimum_preserved=2))


def test_the_target_is_asked_before_the_first_group_too() -> None:
    writer = ScriptedSummarizer()
    strategy = SummarizationStrategy(client=writer, trigger=Always(), target=MessagesExceed(0), minimum_preserved=2)
    run = CompactionRun()

    index, changed = compacted(LONG, strategy, run=run)

    assert not changed
    assert run.actions[0].reason == "nothing_to_do"
    assert not writer.asked
    assert strategy.select(index, bounded=False, target=TokensBelow(100_000)).groups == ()
