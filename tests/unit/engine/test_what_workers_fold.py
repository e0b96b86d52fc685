"""What only workers ask of the engine: a budget with the summary counted in, and what the model is never sent."""

from __future__ import annotations

from tests.unit.engine.talk import calling, result, system, turns, user
from turnfold.compaction.folded_within import FoldedWithin
from turnfold.compaction.selection import originals, select, with_unsendable
from turnfold.compaction.summarization import SMALLEST_SUMMARY_TOKENS
from turnfold.compaction.summary_group import summary_group
from turnfold.groups import MessageGroup, MessageGroupKind
from turnfold.index import MessageIndex
from turnfold.messages import Message
from turnfold.summaries.summarizer import SummaryReply
from turnfold.triggers import Never

LONG = "word " * 800  # a thousand tokens by the estimate


def folded(index: MessageIndex, count: int) -> None:
    for group in list(index.groups)[:count]:
        index.exclude(group, "selected")


def test_the_summary_that_will_be_written_counts() -> None:
    index = MessageIndex([user(LONG) for _ in range(10)])
    within = FoldedWithin(budget=5_000, summary_ratio=0.1)
    folded(index, 5)  # 5,000 stay, and 500 of the summary
    assert not within(index)
    folded(index, 6)  # 4,000 stay, and 600 of the summary
    assert within(index)
    assert FoldedWithin(budget=4_600, summary_ratio=0.1)(index)
    assert not FoldedWithin(budget=4_599, summary_ratio=0.1)(index)


def test_a_small_summary_counts_as_the_smallest_and_what_is_sent_along_counts_too() -> None:
    index = MessageIndex([user(LONG) for _ in range(2)], overhead_tokens=100)
    folded(index, 1)
    assert FoldedWithin(budget=1_100 + SMALLEST_SUMMARY_TOKENS, summary_ratio=0.01)(index)
    assert not FoldedWithin(budget=1_099 + SMALLEST_SUMMARY_TOKENS, summary_ratio=0.01)(index)


def test_orphans_and_dangling_calls_between_are_folded_with_the_rest() -> None:
    index = MessageIndex(
        [system(), result("nobody"), user("one"), calling("a"), user("two"), result("lost"), user("three"), *turns(2)]
    )
    one, two, three = (g for g in index.groups if g.kind is MessageGroupKind.USER and g.place in (2, 4, 6))
    assert [(g.place, g.reason) for g in index.groups if not g.included] == [
        (1, "orphan_tool_result"),
        (3, "dangling_tool_call"),
        (5, "orphan_tool_result"),
    ]

    assert [g.place for g in with_unsendable(index, (one, two))] == [1, 2, 3, 4]
    assert [g.place for g in with_unsendable(index, (one, three))] == [1, 2, 3, 5, 6]
    assert [g.place for g in with_unsendable(index, (one,))] == [1, 2]
    assert with_unsendable(index, ()) == ()


def test_hidden_system_messages_are_not_folded_nor_what_is_folded_already() -> None:
    index = MessageIndex([system(), user("one"), calling("a"), user("two"), *turns(2)])
    index.exclude(index.groups[0], "token_budget_fallback_strict")
    one, call, two = index.groups[1:4]
    reply = SummaryReply(text="They spoke.", model="m")
    index.replace([call], summary_group(index, [call], reply, summary_id="summary-1"), "summarization")

    assert with_unsendable(index, (one, two)) == (one, two)


def test_a_summary_says_what_it_was_made_from_and_by_what() -> None:
    index = MessageIndex([user("one"), *turns(2)])
    reply = SummaryReply(text="They spoke.", model="m", prompt_version="2")
    group = summary_group(index, list(index.groups[:2]), reply, summary_id="summary-1")
    assert group.messages[0].metadata == {
        "summary_of": ["g0", "g1"],
        "model": "m",
        "prompt_version": "2",
        "degraded": False,
    }
    assert (group.summary_of, group.place, group.durable, group.turn) == (("g0", "g1"), 0, True, None)


def test_of_a_line_the_originals_are_read_and_of_a_line_without_them_nothing() -> None:
    index = MessageIndex([calling("a"), result("a", "found"), user("next")])
    call = index.groups[0]
    line = MessageGroup("line-g0", MessageGroupKind.SUMMARY, 0, 0)
    line.summary_of, line.messages = ("g0", "g99"), [Message(role="assistant", content="[Tool results: …]")]
    index.insert(line)

    assert [m["role"] for m in originals(index, line)] == ["assistant", "tool"]
    assert originals(index, call) == call.messages


def test_what_is_selected_is_an_empty_tuple_with_a_reason_where_there_is_nothing() -> None:
    index = MessageIndex([user("one"), user("two")])
    none_may = select(index, floor=0, target=Never(), may_take=lambda _index, _group: False)
    none_left = select(index, floor=2, target=Never())
    assert (none_may.groups, none_may.reason) == ((), "no_group_fits_the_input")
    assert (none_left.groups, none_left.reason) == ((), "nothing_to_do")
