"""The index: groups in order, kept up to date as messages arrive and strategies work."""

from __future__ import annotations

import json
from typing import Any

from tests.unit.engine.talk import (
    calling,
    kinds,
    legacy_call,
    legacy_result,
    members,
    reasoning,
    result,
    shown,
    snapshot,
    system,
    turns,
    user,
)
from turnfold.grouping import Grouper
from turnfold.groups import Arrival, MessageGroup, MessageGroupKind
from turnfold.index import MessageIndex
from turnfold.messages import Message
from turnfold.sessions.index_state import resume, state_of
from turnfold.tokens import CharacterEstimatorTokenizer


def made(
    index: MessageIndex, sources: list[MessageGroup], text: str = "line", *, made_id: str = "made-1"
) -> MessageGroup:
    group = MessageGroup(made_id, MessageGroupKind.SUMMARY, None, sources[0].place)
    group.summary_of, group.messages = tuple(source.id for source in sources), [Message(role="assistant", content=text)]
    group.message_count, (group.token_count, group.byte_count) = 1, index.measure(group.messages[0])
    return group


def test_messages_that_arrive_one_by_one_give_the_groups_of_all_at_once() -> None:
    messages = [user(), reasoning(), calling("a", "b"), result("a"), user(), reasoning(), result("b"), *turns(2)]
    at_once, one_by_one = MessageIndex(messages), MessageIndex()

    for message in messages:
        one_by_one.append([message])

    assert snapshot(one_by_one) == snapshot(at_once)
    assert one_by_one.included == at_once.included
    assert one_by_one.all == at_once.all


def test_an_empty_index_has_nothing_and_projects_nothing() -> None:
    index = MessageIndex()

    assert (list(index.groups), index.projection(), index.all.messages) == ([], [], 0)


def test_a_made_group_stands_at_the_place_of_its_first_source() -> None:
    index = MessageIndex([system(), *turns(2)])
    sources = list(index.groups[1:3])

    index.replace(sources, made(index, sources), "test")

    assert kinds(index) == ["system", "summary", "user", "assistant_text", "user", "assistant_text"]
    assert [message["role"] for message in index.projection()] == ["system", "assistant", "user", "assistant"]
    assert shown(index) == [0, 3, 4]


def test_replacing_names_the_replacement_on_each_source_and_counts_it() -> None:
    index = MessageIndex(turns(2))
    sources = list(index.groups[:2])

    index.replace(sources, made(index, sources), "test")

    assert [(g.included, g.reason, g.summarized_by) for g in sources] == [(False, "test", "made-1")] * 2
    assert index.included.messages == 3
    assert index.all.messages == 4


def test_dropping_a_line_takes_its_tokens_from_every_total() -> None:
    # given
    exact = Exact()
    index = MessageIndex(turns(2))
    source = index.groups[0]
    line = made(index, [source])
    index.replace([source], line, "tool_result")
    before = index.tokens_by(exact)

    # when
    index.drop_line(line)

    # then
    assert index.tokens_by(exact) == before - len("line")
    assert index.group("made-1") is None
    assert (source.included, source.summarized_by) == (False, None)


def test_groups_are_found_by_their_ids() -> None:
    index = MessageIndex(turns(1))

    assert [index.group(group.id) for group in index.groups] == list(index.groups)
    assert index.group("unknown") is None


def test_reasoning_that_a_strategy_hid_is_not_drawn_back_in_by_a_call() -> None:
    index = MessageIndex([user(), reasoning()])
    index.exclude(index.groups[1], "truncation")

    index.append([calling("a"), result("a")])

    assert members(index) == [[0], [1], [2, 3]]
    assert shown(index) == [0, 2, 3]


def test_a_hidden_call_that_is_answered_late_stays_hidden() -> None:
    index = MessageIndex([user(), calling("a"), user()])
    group = index.groups[1]
    index.include(group)
    index.exclude(group, "truncation")

    index.append([result("a")])

    assert (group.included, group.reason) == (False, "truncation")


class Exact:
    """A token a character."""

    def count_tokens(self, text: str) -> int:
        return len(text)


def test_a_summary_moves_the_total_of_every_tokenizer_that_measures() -> None:
    exact = Exact()
    index = MessageIndex(turns(2))
    assert index.tokens_by(exact) == 16

    index.replace(list(index.groups[:2]), made(index, list(index.groups[:2])), "test")

    assert index.tokens_by(exact) == 8 + len("line")


def test_the_source_of_a_dropped_line_stays_hidden_for_the_reason_that_hid_the_line() -> None:
    # given a line that a window hid, and one that is shown
    index = MessageIndex(turns(2))
    first, second = index.groups[0], index.groups[1]
    hidden, shown_line = made(index, [first]), made(index, [second], made_id="made-2")
    index.replace([first], hidden, "tool_result")
    index.replace([second], shown_line, "tool_result")
    index.exclude(hidden, "sliding_window")
    before = index.included.tokens

    # when
    index.drop_line(hidden)
    assert [group.id for group in index.groups] == ["g0", "made-2", "g1", "g2", "g3"]
    assert index.included.tokens == before
    index.drop_line(shown_line)

    # then
    assert [(group.id, group.reason) for group in index.groups if not group.included] == [
        (first.id, "sliding_window"),
        (second.id, "tool_result"),
    ]
    assert index.included.tokens == 2


def test_positions_may_have_gaps_and_adjacency_ends_there() -> None:
    def arrival(index: MessageIndex, position: int, message: dict[str, Any]) -> Arrival:
        return position, message, *index.measure(message)

    index = MessageIndex()
    talk = {3: reasoning(), 5: calling("a"), 6: result("a"), 8: legacy_call(), 10: legacy_result(), 11: result("x")}

    placements = index.extend([arrival(index, position, message) for position, message in talk.items()])

    assert members(index) == [[3], [5, 6], [8], [10, 11]]
    assert [placement.group.positions[0] for placement in placements] == [3, 5, 5, 8, 10, 10]
    assert all(not placement.absorbed for placement in placements)
    assert (index.all.messages, index.included.messages) == (6, 3)


def test_a_placement_names_what_the_group_took_in() -> None:
    index = MessageIndex()
    messages = [reasoning(), calling("a"), reasoning("two"), result("a")]

    placements = index.extend([(at, message, *index.measure(message)) for at, message in enumerate(messages)])

    assert [[group.id for group in placement.absorbed] for placement in placements] == [[], ["g0"], [], ["g2"]]


def test_groups_that_were_grouped_before_are_put_in_their_places_and_counted() -> None:
    index, other = MessageIndex(), MessageIndex(turns(2))
    groups = list(other.groups)

    index.put(groups[2:])
    assert list(index.groups) == groups[2:]
    index.put(groups[:2])

    assert list(index.groups) == groups
    assert index.group("g1") is groups[1]
    assert (index.all, index.live, index.included) == (other.all, other.live, other.included)


def test_an_index_goes_on_from_counts_of_groups_that_it_does_not_hold() -> None:
    # given what is stored of a conversation that nothing later can change
    index = MessageIndex()
    grouper = Grouper()
    grouper.last_position = 3
    index.adopt(grouper, [])
    index.all, index.live, index.included = (MessageIndex(turns(2)).all.copy() for _ in range(3))

    # when
    index.append([system(), user()])

    # then
    assert members(index) == [[4], [5]]
    assert [counts.groups for counts in (index.all, index.live, index.included)] == [6, 6, 6]
    assert index.group("g5") is index.groups[1]


def test_an_adopted_group_is_found_by_its_id() -> None:
    index, (stored, *_) = MessageIndex(), MessageIndex(turns(1)).groups
    assert index.group("g0") is None

    index.adopt(Grouper(), [stored])

    assert index.group("g0") is stored


def test_messages_may_come_one_by_one_from_anywhere() -> None:
    assert snapshot(MessageIndex(iter(turns(2)))) == snapshot(MessageIndex(turns(2)))


def test_nothing_is_sent_along_unless_it_is_said() -> None:
    assert MessageIndex().overhead_tokens == 0


def test_a_call_that_waits_is_shown_while_it_is_last_whatever_was_taken_in() -> None:
    # given a call, and reasoning behind it, so that the call is not the last group
    index = MessageIndex([user(), calling("a", "b"), reasoning()])
    assert shown(index) == [0, 2]

    # when one result comes, the reasoning joins, and the call is last again
    index.append([result("a")])

    # then
    assert shown(index) == [0, 1, 2, 3]
    assert index.pending_tool_call_ids == ["b"]


def test_an_older_call_that_is_last_again_is_shown_again_though_another_was_answered() -> None:
    # given two calls that wait, the newer one last but for reasoning
    index = MessageIndex([calling("a"), calling("b"), reasoning()])
    assert shown(index) == [2]

    # when the older one is answered, it takes the reasoning in
    index.append([result("a")])

    # then the newer one is last
    assert shown(index) == [0, 2, 3, 1]
    assert index.pending_tool_call_ids == ["b"]


def test_a_call_that_is_last_again_is_shown_again_in_a_conversation_that_was_stored() -> None:
    tokenizer = CharacterEstimatorTokenizer()
    index = MessageIndex([calling("a"), calling("b"), reasoning()])

    grown = resume(json.loads(json.dumps(state_of(index))), tokenizer)
    grown.append([result("a")])

    assert (
        grown.included.public()
        == MessageIndex([calling("a"), calling("b"), reasoning(), result("a")]).included.public()
    )
    assert grown.pending_tool_call_ids == ["b"]


def test_an_index_without_messages_can_be_stored_and_grown() -> None:
    grouper = Grouper.resume(json.loads(json.dumps(Grouper().state())), {})

    assert (grouper.last, grouper.newest, grouper.last_position, grouper.tail) == (None, None, -1, [])


def test_a_call_behind_hidden_reasoning_is_shown_only_where_it_is_named_as_waiting() -> None:
    # given reasoning behind a call, of which a strategy hid the first
    index = MessageIndex([user(), calling("a", "b"), reasoning("one")])
    index.exclude(index.groups[2], "truncation")
    index.append([reasoning("two")])

    # when one result comes, what is shown joins, and what is hidden stays last
    index.append([result("a")])
    assert members(index) == [[0], [1, 3, 4], [2]]
    assert (shown(index), index.pending_tool_call_ids) == ([0], [])

    # then the other result shows the call
    index.append([result("b")])
    assert shown(index) == [0, 1, 3, 4, 5]
