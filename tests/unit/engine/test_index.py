"""The index: groups in order, kept up to date as messages arrive and strategies work."""

from __future__ import annotations

from tests.unit.engine.talk import calling, kinds, members, reasoning, result, shown, snapshot, system, turns, user
from turnfold.groups import MessageGroup, MessageGroupKind
from turnfold.index import MessageIndex
from turnfold.messages import Message


def made(index: MessageIndex, sources: list[MessageGroup], text: str = "line") -> MessageGroup:
    group = MessageGroup("made-1", MessageGroupKind.SUMMARY, None, sources[0].place)
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
    class Exact:
        def count_tokens(self, text: str) -> int:
            return len(text)

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
