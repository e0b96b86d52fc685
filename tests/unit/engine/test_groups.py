"""One group: how it is told, stored, and read again."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.engine.talk import calling, legacy_call, result, system, tool_turn, turns, user
from turnfold.grouping import awaited_calls, kind_of_role, turn_of
from turnfold.groups import MessageGroup, MessageGroupKind
from turnfold.index import MessageIndex
from turnfold.messages import Message


def test_a_group_is_reported_with_all_that_reports_and_the_api_show() -> None:
    index = MessageIndex([user("12345678"), *tool_turn("a", "é" * 8)[1:]])
    index.groups[1].summary_of = ("x",)
    index.exclude(index.groups[1], "truncation")

    assert [group.report() for group in index.groups] == [
        {
            "id": "g0", "kind": "user", "turn": 1, "messages": [0], "message_count": 1, "bytes": 8, "tokens": 2,
            "included": True, "reason": None, "summary_of": [], "summarized_by": None,
        },
        {
            "id": "g1", "kind": "tool_call", "turn": 1, "messages": [1, 2], "message_count": 2, "bytes": 22,
            "tokens": 3, "included": False, "reason": "truncation", "summary_of": ["x"], "summarized_by": None,
        },
    ]  # fmt: skip


def test_a_group_is_shown_to_programmers_with_its_positions_and_why_it_is_hidden() -> None:
    index = MessageIndex(turns(1))
    index.exclude(index.groups[1], "truncation")

    assert [repr(group) for group in index.groups] == [
        "<user g0 [0]>",
        "<assistant_text g1 [1] hidden: truncation>",
    ]


def test_a_group_that_is_read_again_is_the_one_that_was_stored_in_every_field_but_its_messages() -> None:
    # given
    stored = MessageGroup("made-7", MessageGroupKind.SUMMARY, None, 3)
    stored.positions, stored.open_calls, stored.summary_of = [3, 5], ("a",), ("g3", "g5")
    stored.message_count, stored.token_count, stored.byte_count = 2, 30, 400
    stored.orphan, stored.included, stored.reason, stored.summarized_by = True, False, "test", "made-8"
    stored.durable, stored.is_system, stored.is_tool_call = True, True, True

    # when
    again = MessageGroup.from_dict(stored.to_dict())

    # then
    assert again.id == "made-7"
    assert (again.kind, again.turn, again.place) == (MessageGroupKind.SUMMARY, None, 3)
    assert (again.positions, again.open_calls, again.summary_of) == ([3, 5], ("a",), ("g3", "g5"))
    assert (again.message_count, again.token_count, again.byte_count) == (2, 30, 400)
    assert (again.orphan, again.included, again.reason, again.summarized_by) == (True, False, "test", "made-8")
    assert (again.durable, again.is_system, again.is_tool_call) == (True, True, True)
    assert again.counted  # the totals that were stored with it have it


def test_messages_become_messages_when_they_are_looked_at_those_that_join_later_too() -> None:
    index = MessageIndex([calling("a", "b"), result("a")])
    (group,) = index.groups
    first = list(group.messages)
    assert all(isinstance(message, Message) for message in first)

    index.append([result("b")])

    assert all(isinstance(message, Message) for message in group.messages)
    assert group.messages[:2] == first
    assert group.messages[0] is first[0]
    assert group.messages is group.messages


def test_calls_that_are_told_later_are_awaited_with_those_before() -> None:
    group = MessageGroup("g1", MessageGroupKind.TOOL_CALL, 1, 1)

    group.await_results(("a", "b"))
    group.await_results(["a"])
    group.answer("a")

    assert group.open_calls == ("b", "a")


@pytest.mark.parametrize(
    ("role", "kind"),
    [
        ("system", "system"), ("developer", "system"), ("user", "user"), ("assistant", "assistant_text"),
        ("tool", "tool_call"), ("function", "tool_call"), ("robot", "assistant_text"),
    ],
)  # fmt: skip
def test_a_role_says_which_group_its_messages_begin_and_system_groups_have_no_turn(role: str, kind: str) -> None:
    assert kind_of_role(role) == kind
    assert turn_of(kind_of_role(role), 7) == (None if kind == "system" else 7)


def test_what_a_message_waits_for_is_the_ids_of_its_calls_and_not_what_has_none() -> None:
    odd: dict[str, Any] = {"role": "assistant", "tool_calls": ["a", {"function": {}}, {"id": ""}, {"id": "b"}]}

    assert awaited_calls(odd) == ("b",)
    assert awaited_calls(calling("a", "a")) == ("a", "a")
    assert len(awaited_calls({**calling("a"), **legacy_call(), "tool_calls": calling("a")["tool_calls"]})) == 2
    assert awaited_calls(system()) == ()
