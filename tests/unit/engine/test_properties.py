"""What holds for every history and every policy."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.engine.random_talk import BUDGETS, HISTORIES, LEAVES, POLICIES
from tests.unit.engine.talk import ScriptedSummarizer, Talk, compact_again, refused_by_providers, snapshot
from turnfold.compaction.run import CompactionRun
from turnfold.counts import Counts
from turnfold.index import MessageIndex
from turnfold.policy import Policy

quick = settings(max_examples=150, deadline=None)


def run_policy(index: MessageIndex, policy: dict[str, Any]) -> bool:
    run = CompactionRun(summarizer=ScriptedSummarizer("They spoke of words."))
    return compact_again(index, Policy.parse(policy).strategy, run=run)


def recounted(index: MessageIndex, *, included: bool) -> Counts:
    counts = Counts()
    for group in index.groups:
        if group.included if included else group.is_log:
            counts.add(group)
    return counts


def check(index: MessageIndex, messages: Talk) -> None:
    """Every promise that does not depend on the policy."""
    assert refused_by_providers(index.projection()) is None
    positions = Counter(position for group in index.groups for position in group.positions)
    assert positions == Counter(range(len(messages)))
    assert all(group.included or group.reason for group in index.groups)
    assert all(group.reason is None for group in index.included_groups)
    assert len({group.id for group in index.groups}) == len(index.groups)
    assert index.included == recounted(index, included=True)
    by_id = {group.id: group for group in index.groups}
    for group in index.groups:
        assert all(by_id[source].summarized_by == group.id for source in group.summary_of)
        assert group.summarized_by is None or (not group.included and group.id in by_id[group.summarized_by].summary_of)
        assert group.token_count == sum(index.measure(message)[0] for message in group.messages)
        assert group.byte_count == sum(index.measure(message)[1] for message in group.messages)


@quick
@given(HISTORIES, st.lists(st.integers(1, 5), min_size=1, max_size=20))
def test_an_index_built_bit_by_bit_is_the_one_built_at_once(messages: Talk, steps: list[int]) -> None:
    at_once, bit_by_bit = MessageIndex(messages), MessageIndex()

    rest = messages
    while rest:
        step = steps[len(rest) % len(steps)]
        bit_by_bit.append(rest[:step])
        rest = rest[step:]

    assert snapshot(bit_by_bit) == snapshot(at_once)
    assert (bit_by_bit.all, bit_by_bit.live, bit_by_bit.included) == (at_once.all, at_once.live, at_once.included)
    assert bit_by_bit.pending_tool_call_ids == at_once.pending_tool_call_ids


@quick
@given(HISTORIES)
def test_every_history_is_grouped_into_something_that_providers_accept(messages: Talk) -> None:
    index = MessageIndex(messages)

    check(index, messages)
    assert index.all == recounted(index, included=False)


@quick
@given(HISTORIES)
def test_a_projection_is_empty_only_where_all_groups_are_orphans_or_dangling(messages: Talk) -> None:
    index = MessageIndex(messages)

    assert index.projection() or all(group.reason for group in index.groups)


@quick
@given(HISTORIES, POLICIES)
def test_every_policy_leaves_something_that_providers_accept_and_loses_nothing(
    messages: Talk, policy: dict[str, Any]
) -> None:
    index = MessageIndex(messages)
    before = index.all.copy()

    run_policy(index, policy)

    check(index, messages)
    assert index.all == before


@quick
@given(HISTORIES, POLICIES)
def test_a_strategy_says_whether_it_changed_anything(messages: Talk, policy: dict[str, Any]) -> None:
    index = MessageIndex(messages)
    before = snapshot(index)

    changed = run_policy(index, policy)

    assert changed == (snapshot(index) != before)


@quick
@given(HISTORIES, st.one_of(LEAVES, BUDGETS))
def test_a_strategy_changes_nothing_on_its_own_result(messages: Talk, policy: dict[str, Any]) -> None:
    index = MessageIndex(messages)
    run_policy(index, policy)
    once = snapshot(index)

    changed = run_policy(index, policy)

    assert snapshot(index) == once
    assert not changed


@quick
@given(HISTORIES, HISTORIES, POLICIES)
def test_a_history_goes_on_after_a_policy_has_run_on_it(first: Talk, then: Talk, policy: dict[str, Any]) -> None:
    index = MessageIndex(first)

    run_policy(index, policy)
    index.append(then)
    check(index, [*first, *then])
    run_policy(index, policy)

    check(index, [*first, *then])


@quick
@given(HISTORIES, st.one_of(LEAVES, BUDGETS))
def test_system_groups_stay_unless_the_policy_lets_them_go(messages: Talk, policy: dict[str, Any]) -> None:
    index = MessageIndex(messages)

    run_policy(index, policy)

    may_go = policy["strategy"] == "token_budget" or policy.get("preserve_system") is False
    assert may_go or all(group.included for group in index.groups if group.is_system)


@quick
@given(HISTORIES, BUDGETS)
def test_a_budget_holds_unless_the_newest_group_alone_is_above_it(messages: Talk, policy: dict[str, Any]) -> None:
    index = MessageIndex(messages)

    run_policy(index, policy)

    assert index.included.tokens <= policy["token_budget"] or index.included.groups == 1
