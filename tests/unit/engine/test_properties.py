"""What holds for every history and every policy."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.examples import many
from tests.support.grouping_rules import LEGACY, grouped, sent
from tests.unit.engine.promises import check, check_counts, run_policy, run_strategy
from tests.unit.engine.random_policies import BUDGETS, DECREASING, LEAVES, POLICIES, WINDOWS
from tests.unit.engine.random_talk import HISTORIES
from tests.unit.engine.talk import Talk, refused_by_providers, snapshot
from turnfold.compaction.custom import CustomStrategy
from turnfold.index import MessageIndex
from turnfold.messages import Message
from turnfold.sessions.index_state import resume, state_of
from turnfold.tokens import CharacterEstimatorTokenizer

pytestmark = pytest.mark.property

STEPS = st.lists(st.integers(1, 5), min_size=1, max_size=20)


def in_steps(messages: Talk, steps: list[int]) -> list[Talk]:
    """The messages in pieces, as they arrive."""
    pieces: list[Talk] = []
    while rest := messages[sum(map(len, pieces)) :]:
        pieces.append(rest[: steps[len(pieces) % len(steps)]])
    return pieces


@many()
@given(HISTORIES)
def test_every_history_is_grouped_into_something_that_providers_accept(messages: Talk) -> None:
    check(MessageIndex(messages), messages)


@many()
@given(HISTORIES)
def test_messages_are_grouped_by_the_rules_and_what_providers_refuse_is_hidden(messages: Talk) -> None:
    index, told = MessageIndex(messages), grouped(messages)

    assert [(g.kind, g.positions, g.orphan) for g in index.groups] == [(g.kind, g.positions, g.is_orphan) for g in told]
    assert [group.positions for group in index.included_groups] == [group.positions for group in sent(told)]
    last = [group.waiting for group in sent(told)[-1:] if group is told[-1]]
    assert index.pending_tool_call_ids == [call for waiting in last for call in waiting if call != LEGACY]


@many()
@given(HISTORIES)
def test_a_projection_is_empty_only_where_all_groups_are_orphans_or_dangling(messages: Talk) -> None:
    index = MessageIndex(messages)

    assert index.projection() or all(group.reason for group in index.groups)


@many()
@given(HISTORIES, STEPS)
def test_an_index_built_bit_by_bit_is_the_one_built_at_once(messages: Talk, steps: list[int]) -> None:
    at_once, bit_by_bit = MessageIndex(messages), MessageIndex()

    for piece in in_steps(messages, steps):
        bit_by_bit.append(piece)

    assert snapshot(bit_by_bit) == snapshot(at_once)
    assert bit_by_bit.projection() == at_once.projection()
    assert (bit_by_bit.all, bit_by_bit.live, bit_by_bit.included) == (at_once.all, at_once.live, at_once.included)
    assert bit_by_bit.pending_tool_call_ids == at_once.pending_tool_call_ids


@many()
@given(HISTORIES, STEPS)
def test_an_index_grown_from_a_stored_state_counts_as_the_one_built_at_once(messages: Talk, steps: list[int]) -> None:
    tokenizer = CharacterEstimatorTokenizer()
    state: dict[str, Any] = {}

    for piece in in_steps(messages, steps):
        index = resume(state, tokenizer)
        index.append(piece)
        state = json.loads(json.dumps(state_of(index)))

    at_once, grown = MessageIndex(messages), resume(state, tokenizer)
    for name in ("all", "live", "included"):
        assert getattr(grown, name).public() == getattr(at_once, name).public()
    assert grown.pending_tool_call_ids == at_once.pending_tool_call_ids


@many()
@given(HISTORIES, POLICIES)
def test_a_projection_that_is_read_again_is_the_same(messages: Talk, policy: dict[str, Any]) -> None:
    index = MessageIndex(messages)
    run_policy(index, policy)
    projection = index.projection()

    assert MessageIndex(projection).projection() == projection


@many()
@given(HISTORIES, st.lists(st.tuples(st.integers(0, 40), st.booleans()), max_size=20), HISTORIES)
def test_counts_follow_whatever_is_hidden_shown_and_appended(
    first: Talk, changes: list[tuple[int, bool]], then: Talk
) -> None:
    # given
    index, other = MessageIndex(first), CharacterEstimatorTokenizer()
    index.tokens_by(other)

    # when
    for number, shows in changes[:10]:
        if number < len(index.groups):
            index.include(index.groups[number]) if shows else index.exclude(index.groups[number], "test")
    index.append(then)
    for number, shows in changes[10:]:
        if number < len(index.groups):
            index.include(index.groups[number]) if shows else index.exclude(index.groups[number], "test")

    # then
    check_counts(index)
    assert index.tokens_by(other) == index.included.tokens


@many()
@given(HISTORIES, POLICIES)
def test_every_policy_leaves_something_that_providers_accept_and_loses_nothing(
    messages: Talk, policy: dict[str, Any]
) -> None:
    index = MessageIndex(messages)
    before = index.all.copy()

    run_policy(index, policy)

    check(index, messages)
    assert index.all == before


@many()
@given(HISTORIES, POLICIES)
def test_a_strategy_says_whether_it_changed_anything(messages: Talk, policy: dict[str, Any]) -> None:
    index = MessageIndex(messages)
    before = snapshot(index)

    changed = run_policy(index, policy)

    assert changed == (snapshot(index) != before)


@many()
@given(HISTORIES, st.one_of(LEAVES, BUDGETS, WINDOWS, DECREASING))
def test_a_strategy_changes_nothing_on_its_own_result(messages: Talk, policy: dict[str, Any]) -> None:
    index = MessageIndex(messages)
    run_policy(index, policy)
    once = snapshot(index)

    changed = run_policy(index, policy)

    assert snapshot(index) == once
    assert not changed


@many()
@given(HISTORIES, HISTORIES, POLICIES)
def test_a_history_goes_on_after_a_policy_has_run_on_it(first: Talk, then: Talk, policy: dict[str, Any]) -> None:
    index = MessageIndex(first)

    run_policy(index, policy)
    index.append(then)
    check(index, [*first, *then])
    run_policy(index, policy)

    check(index, [*first, *then])


@many()
@given(HISTORIES, st.one_of(LEAVES, BUDGETS))
def test_system_groups_stay_unless_the_policy_lets_them_go(messages: Talk, policy: dict[str, Any]) -> None:
    index = MessageIndex(messages)

    run_policy(index, policy)

    may_go = policy["strategy"] == "token_budget" or policy.get("preserve_system") is False
    assert may_go or all(group.included for group in index.groups if group.is_system)


@many()
@given(HISTORIES, BUDGETS)
def test_a_budget_holds_unless_the_newest_group_alone_is_above_it(messages: Talk, policy: dict[str, Any]) -> None:
    index = MessageIndex(messages)

    run_policy(index, policy)

    assert index.included.tokens <= policy["token_budget"] or index.included.groups == 1


@many()
@given(
    HISTORIES,
    st.sets(st.integers(0, 30)),
    st.dictionaries(st.integers(0, 30), st.sampled_from(("new", "")), max_size=3),
)
def test_a_strategy_of_the_callers_own_loses_nothing(messages: Talk, dropped: set[int], added: dict[int, str]) -> None:
    """Whatever it deletes, and wherever it puts something new."""

    async def drop_and_add(shown: list[Message]) -> bool:
        left = [message for number, message in enumerate(shown) if number not in dropped]
        for place, text in sorted(added.items()):
            left.insert(place, Message(role="assistant", content=text))
        changed = len(left) != len(shown) or bool(added)
        shown[:] = left
        return changed

    index = MessageIndex(messages)
    run_strategy(index, CustomStrategy(drop_and_add))

    check(index, messages)
    assert refused_by_providers(index.projection()) is None
