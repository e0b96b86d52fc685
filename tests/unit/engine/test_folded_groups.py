"""What a committed summary covers is folded for good: nothing joins it, and nothing of it is live."""

from __future__ import annotations

from tests.unit.engine.talk import (
    calling,
    members,
    reasoning,
    reasons,
    result,
    shown,
    turns,
    user,
)
from turnfold.groups import MessageGroup, MessageGroupKind
from turnfold.index import MessageIndex
from turnfold.messages import Message


def made(
    index: MessageIndex, sources: list[MessageGroup], text: str = "line", *, made_id: str = "made-1"
) -> MessageGroup:
    group = MessageGroup(made_id, MessageGroupKind.SUMMARY, None, sources[0].place)
    group.summary_of, group.messages = tuple(source.id for source in sources), [Message(role="assistant", content=text)]
    group.message_count, (group.token_count, group.byte_count) = 1, index.measure(group.messages[0])
    return group


def folded(index: MessageIndex, *sources: MessageGroup, made_id: str = "made-1") -> MessageGroup:
    """A committed summary takes the groups' place."""
    summary = made(index, list(sources), "summary", made_id=made_id)
    summary.durable = True
    index.replace(list(sources), summary, "summarization")
    return summary


def test_a_result_whose_call_was_folded_for_good_answers_nothing() -> None:
    # given
    index = MessageIndex([user(), calling("a"), user(), calling("b")])
    call = index.groups[1]

    # when
    folded(index, call)
    index.append([result("a"), result("b")])

    # then it is an orphan, and other calls get theirs
    assert members(index) == [[0], [1], [2], [3, 5], [4]]
    assert reasons(index) == {1: "dangling_tool_call", 4: "orphan_tool_result"}
    assert (call.summarized_by, call.token_count) == ("made-1", 1)


def test_what_stands_behind_a_folded_line_is_not_live_either() -> None:
    index = MessageIndex([user(), calling("a"), result("a"), user("live")])
    asked, called, spoken = index.groups
    line = made(index, [called], made_id="line-1")
    index.replace([called], line, "tool_result")
    assert (called.folded, index.live) == (False, index.all)  # a line alone is made anew each time

    summary = folded(index, asked, line, made_id="summary-1")

    assert [group.folded for group in (asked, called, line, spoken)] == [False, True, False, False]
    assert index.live.tokens == spoken.token_count + summary.token_count
    assert index.live.messages == 2


def test_a_summary_of_a_summary_leaves_its_sources_as_they_were() -> None:
    index = MessageIndex([user(), user("second"), user("live")])
    first, second, spoken = index.groups

    earlier = folded(index, first, made_id="summary-1")
    later = folded(index, earlier, second, made_id="summary-2")

    assert [group.folded for group in index.groups] == [False] * 5
    assert index.live.groups == 2
    assert index.live.tokens == spoken.token_count + later.token_count


def test_a_line_whose_source_is_not_held_is_folded_by_itself() -> None:
    index = MessageIndex([user(), user("live")])
    gone = MessageGroup("g99", MessageGroupKind.TOOL_CALL, 1, 1)
    line = made(index, [gone], made_id="line-1")
    index.insert(line)

    folded(index, line, made_id="summary-1")

    assert index.live.groups == 3


def test_reasoning_that_was_folded_for_good_is_not_drawn_back_in() -> None:
    index = MessageIndex([user(), calling("a"), reasoning(), reasoning("two")])
    (thought,) = (group for group in index.groups if group.positions == [2])

    folded(index, thought)
    index.append([result("a")])

    assert members(index) == [[0], [1, 3, 4], [2]]


def test_of_groups_that_are_put_in_those_that_a_summary_covers_are_not_live() -> None:
    index, groups = MessageIndex(), list(MessageIndex(turns(2)).groups)
    groups[0].included, groups[0].reason, groups[0].summarized_by = False, "summarization", "summary-1"

    index.put(groups)

    assert (index.all.groups, index.live.groups, index.included.groups) == (4, 3, 3)


def test_a_result_that_answers_nothing_does_not_join_others_that_are_folded() -> None:
    index = MessageIndex([user(), result("x")])

    folded(index, index.groups[1])
    index.append([result("y")])

    assert members(index) == [[0], [1], [2]]


def test_what_is_folded_elsewhere_changes_nothing_for_what_comes() -> None:
    index = MessageIndex([user(), result("x")])

    folded(index, index.groups[0])
    index.append([result("y")])

    assert members(index) == [[0], [1, 2]]


def test_a_folded_call_is_not_shown_again_when_it_is_last_again() -> None:
    # given a newer call that is folded while it waits
    index = MessageIndex([calling("a"), calling("b"), reasoning()])
    folded(index, index.groups[1])

    # when the older one takes in all that stood behind the newer
    index.append([result("a")])

    # then
    assert shown(index) == [0, 2, 3]


def test_a_call_that_is_last_again_is_shown_again_though_something_older_was_folded() -> None:
    index = MessageIndex([user(), calling("a"), calling("b"), reasoning()])
    folded(index, index.groups[0])

    index.append([result("a")])

    assert shown(index) == [1, 3, 4, 2]
