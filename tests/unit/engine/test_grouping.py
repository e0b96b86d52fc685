"""Which messages are kept or dropped together."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.engine.talk import (
    assistant,
    calling,
    kinds,
    legacy_call,
    legacy_result,
    members,
    reasoning,
    reasons,
    refused_by_providers,
    result,
    shown,
    system,
    tool_turn,
    user,
)
from turnfold import PipelineCompactionStrategy, SummarizationStrategy, ToolResultCompactionStrategy, apply_compaction
from turnfold.errors import BadInput
from turnfold.groups import MessageGroup
from turnfold.index import MessageIndex
from turnfold.messages import Message, checked_messages
from turnfold.summaries.extractive import ExtractiveSummarizer


def test_system_developer_user_and_assistant_messages_are_a_group_each() -> None:
    index = MessageIndex([system(), {"role": "developer", "content": "x"}, user(), assistant()])

    assert kinds(index) == ["system", "system", "user", "assistant_text"]


def test_turns_count_user_groups_and_system_groups_have_none() -> None:
    index = MessageIndex([assistant("early"), system(), user(), assistant(), system(), user()])

    assert [group.turn for group in index.groups] == [0, None, 1, 1, None, 2]


def test_a_call_and_its_results_are_one_group_parallel_calls_too() -> None:
    index = MessageIndex([user(), calling("a", "b"), result("b"), result("a"), assistant()])

    assert members(index) == [[0], [1, 2, 3], [4]]
    assert kinds(index) == ["user", "tool_call", "assistant_text"]


@pytest.mark.parametrize(
    "part",
    [
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"q": "x"}},
        {"type": "mcp_tool_use", "id": "m1", "name": "files", "input": {}},
        {"type": "web_search_call", "name": "web"},
    ],
)
def test_a_call_of_a_tool_that_the_provider_ran_is_a_tool_call_group_that_waits_for_nothing(
    part: dict[str, Any],
) -> None:
    index = MessageIndex([user(), {"role": "assistant", "content": [part, {"type": "text", "text": "Done."}]}, user()])

    assert kinds(index)[1] == "tool_call"
    assert shown(index) == [0, 1, 2]


def test_a_late_result_joins_its_call_and_stands_behind_it() -> None:
    index = MessageIndex([user(), calling("a"), user("meanwhile"), result("a", "late"), assistant()])

    assert members(index) == [[0], [1, 3], [2], [4]]
    assert [message["role"] for message in index.projection()] == ["user", "assistant", "tool", "user", "assistant"]


def test_an_id_that_was_answered_may_be_used_again() -> None:
    index = MessageIndex([*tool_turn("a"), *tool_turn("a")])

    assert members(index) == [[0], [1, 2], [3], [4, 5]]


def test_a_result_closes_the_one_call_of_its_id_that_is_still_open() -> None:
    # given two calls of one id, of which adjacency closes the newer
    index = MessageIndex([calling("a"), user(), calling("a"), result("a")])
    assert members(index) == [[0], [1], [2, 3]]

    # when another result of that id comes, only one call is left
    index.append([user("more"), result("a", "late")])

    # then
    assert members(index) == [[0, 5], [1], [2, 3], [4]]


def test_two_open_calls_of_one_id_are_not_linked_to_a_result_that_stands_apart() -> None:
    index = MessageIndex([calling("a"), user(), calling("a"), user(), result("a")])

    assert members(index) == [[0], [1], [2], [3], [4]]
    assert reasons(index) == {0: "dangling_tool_call", 2: "dangling_tool_call", 4: "orphan_tool_result"}


def test_an_id_decides_before_adjacency_does() -> None:
    index = MessageIndex([calling("a"), user(), calling("b"), result("a"), result("b")])

    assert members(index) == [[0, 3], [1], [2, 4]]


def test_a_result_with_an_unknown_id_is_an_orphan_even_right_behind_a_call() -> None:
    index = MessageIndex([user(), calling("a"), result("nobody"), result("a")])

    assert members(index) == [[0], [1, 3], [2]]
    assert reasons(index) == {2: "orphan_tool_result"}
    assert refused_by_providers(index.projection()) is None


def test_a_result_before_its_call_is_not_linked() -> None:
    index = MessageIndex([user(), result("a"), calling("a"), user()])

    assert members(index) == [[0], [1], [2], [3]]
    assert reasons(index) == {1: "orphan_tool_result", 2: "dangling_tool_call"}


def test_a_run_of_orphans_is_one_group_of_the_tool_call_kind() -> None:
    index = MessageIndex([user(), result("x"), result("y"), user(), result("z")])

    orphans = [group for group in index.groups if group.orphan]
    assert [(group.kind, group.positions) for group in orphans] == [("tool_call", [1, 2]), ("tool_call", [4])]


def test_legacy_calls_are_joined_by_adjacency_alone() -> None:
    index = MessageIndex([user(), legacy_call(), legacy_result(), legacy_call(), user(), legacy_result()])

    assert members(index) == [[0], [1, 2], [3], [4], [5]]
    assert reasons(index) == {3: "dangling_tool_call", 5: "orphan_tool_result"}


def test_reasoning_directly_before_a_call_belongs_to_it() -> None:
    index = MessageIndex([user(), reasoning("one"), reasoning("two"), calling("a"), result("a")])

    assert members(index) == [[0], [1, 2, 3, 4]]


def test_reasoning_between_a_call_and_its_results_belongs_to_the_call() -> None:
    index = MessageIndex([calling("a", "b"), result("a"), reasoning(), result("b")])

    assert members(index) == [[0, 1, 2, 3]]


def test_reasoning_joins_once_however_many_results_come() -> None:
    index = MessageIndex([calling("a", "b", "c"), reasoning("one"), result("a"), reasoning("two"), result("b")])
    index.append([result("c")])

    assert members(index) == [[0, 1, 2, 3, 4, 5]]


def test_reasoning_between_a_call_and_a_late_result_belongs_to_that_call_and_to_no_other() -> None:
    talk = [calling("a"), reasoning("of a"), user(), calling("b"), result("b"), user()]
    index = MessageIndex(talk)
    assert members(index) == [[0], [1], [2], [3, 4], [5]]

    index.append([result("a")])

    assert members(index) == [[0, 1, 6], [2], [3, 4], [5]]


def test_reasoning_does_not_come_between_a_call_and_what_is_adjacent_to_it() -> None:
    assert members(MessageIndex([calling("a", "a"), reasoning(), result("a"), result("a")])) == [[0, 1, 2, 3]]
    assert members(MessageIndex([legacy_call(), reasoning(), legacy_result()])) == [[0, 1, 2]]
    assert members(MessageIndex([calling("a", "a"), reasoning(), user(), result("a")])) == [[0], [1], [2], [3]]


def test_reasoning_behind_the_results_belongs_to_what_follows() -> None:
    index = MessageIndex([calling("a"), result("a"), reasoning("next"), calling("b"), result("b"), reasoning("last")])

    assert members(index) == [[0, 1], [2, 3, 4], [5]]
    assert kinds(index) == ["tool_call", "tool_call", "assistant_text"]


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": "", "reasoning": "hm"},
        {"role": "assistant", "reasoning_details": [{"type": "reasoning.encrypted", "data": "xx"}]},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "s"}]},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": ""}]},
        {"role": "assistant", "content": [{"type": "redacted_thinking", "data": "xx"}]},
    ],
)
def test_reasoning_comes_in_many_fields(message: dict[str, Any]) -> None:
    assert members(MessageIndex([message, calling("a"), result("a")])) == [[0, 1, 2]]


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": "text", "reasoning": "hm"},
        {"role": "assistant", "content": None, "refusal": "no", "reasoning": "hm"},
        {"role": "assistant", "content": ""},
        {"role": "assistant", "content": None},
        {"role": "assistant", "content": "", "reasoning_content": ""},
        {"role": "user", "content": "", "reasoning_content": "hm"},
    ],
)
def test_what_is_more_than_reasoning_or_nothing_at_all_stands_alone(message: dict[str, Any]) -> None:
    assert members(MessageIndex([message, calling("a"), result("a")])) == [[0], [1, 2]]


def test_an_empty_list_of_calls_is_no_call() -> None:
    assert kinds(MessageIndex([assistant("", tool_calls=[])])) == ["assistant_text"]


def test_a_text_that_looks_like_a_summary_is_just_text() -> None:
    index = MessageIndex([assistant("[Summary]\nforged"), assistant("x", metadata={"summary_of": ["g0"]})])

    assert kinds(index) == ["assistant_text", "assistant_text"]


def test_a_summary_of_an_earlier_run_is_told_by_its_metadata() -> None:
    summary = Message.marked(assistant("[Summary]\nwhat was said"), {"summary_of": ["g0", "g1"]})
    line = Message.marked(assistant("[Tool results: look: found]"), {"summary_of": ["g4"], "collapsed": True})

    index = MessageIndex([summary, user("on"), line, assistant("done")])

    assert kinds(index) == ["summary", "user", "summary", "assistant_text"]
    assert [group.summary_of for group in index.groups] == [("g0", "g1"), (), ("g4",), ()]
    assert [group.durable for group in index.groups] == [True, False, False, False]
    assert [group.turn for group in index.groups] == [None, 1, 1, 1]
    assert index.included.turns == 1


async def test_what_was_compacted_can_be_compacted_again() -> None:
    strategy = PipelineCompactionStrategy(
        [
            ToolResultCompactionStrategy(keep_last_tool_call_groups=1),
            SummarizationStrategy(client=ExtractiveSummarizer(), target_count=6, threshold=0),
        ]
    )
    history = [
        message
        for n in range(8)
        for message in (
            user(f"Where is crate {n}? It left on 1{n} March with 40{n} pallets of the green tea for Ana."),
            calling(f"c{n}"),
            result(f"c{n}", "at sea"),
            assistant(f"Crate {n} is at sea and due in Esbjerg on the 2{n}th, says the agent of the line."),
        )
    ]

    once = await apply_compaction(history, strategy=strategy)
    twice = await apply_compaction(once, strategy=strategy)
    more = await apply_compaction([*once, user("And crate 9?"), assistant("It is in Hull. " * 9)], strategy=strategy)

    assert "summary" in kinds(MessageIndex(once))
    assert twice == once
    assert sum(message.is_summary for message in more) >= 1


def test_equal_messages_are_different_groups_with_ids_of_their_own() -> None:
    index = MessageIndex([user("yes"), user("yes")])

    assert members(index) == [[0], [1]]
    assert len({group.id for group in index.groups}) == 2


def test_a_call_that_waits_is_shown_only_at_the_end_and_named() -> None:
    index = MessageIndex([user(), calling("a", "b"), result("a")])
    assert (shown(index), index.pending_tool_call_ids) == ([0, 1, 2], ["b"])

    index.append([user("never mind")])
    assert (shown(index), index.pending_tool_call_ids) == ([0, 3], [])
    assert reasons(index) == {1: "dangling_tool_call"}

    index.append([result("b")])
    assert (shown(index), index.pending_tool_call_ids) == ([0, 1, 2, 4, 3], [])


def test_an_id_of_a_legacy_call_that_waits_is_not_made_up() -> None:
    index = MessageIndex([user(), legacy_call()])

    assert (shown(index), index.pending_tool_call_ids) == ([0, 1], [])


def test_unknown_fields_and_metadata_come_out_as_they_went_in() -> None:
    message = {
        "role": "user",
        "content": [{"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}],
        "x": 1,
    }

    (projected,) = MessageIndex([message]).projection()

    assert projected == message


def test_a_group_survives_a_round_trip_through_json() -> None:
    (group,) = MessageIndex([calling("a", "b"), result("a")]).groups

    again = MessageGroup.from_dict(group.to_dict())

    assert again.to_dict() == group.to_dict()
    assert (again.kind, again.open_calls, again.positions) == (group.kind, ("b",), [0, 1])


BAD_INPUT: list[tuple[Any, str]] = [
    ([user(), {"role": "tool", "content": "x"}], "messages[1].tool_call_id"),
    ([{"role": "tool", "tool_call_id": 7, "content": "x"}], "messages[0].tool_call_id"),
    ([{"role": "assistant", "tool_calls": [{"id": "a"}, {"function": {"name": "x"}}]}], "messages[0].tool_calls[1].id"),
    ([{"role": "assistant", "tool_calls": {"id": "a"}}], "messages[0].tool_calls"),
    ([{"role": "assistant", "tool_calls": ["a"]}], "messages[0].tool_calls[0]"),
    ([{"content": "x"}], "messages[0].role"),
    ([{"role": "robot", "content": "x"}], "messages[0].role"),
    ([{"role": "user", "content": 7}], "messages[0].content"),
    ([{"role": "user", "content": [7]}], "messages[0].content[0]"),
    (["hello"], "messages[0]"),
    ({"role": "user"}, "messages"),
    ("hello", "messages"),
    (None, "messages"),
]


@pytest.mark.parametrize(("messages", "path"), BAD_INPUT)
def test_bad_input_names_the_field(messages: Any, path: str) -> None:
    with pytest.raises(BadInput) as caught:
        checked_messages(messages)

    assert caught.value.path == path
