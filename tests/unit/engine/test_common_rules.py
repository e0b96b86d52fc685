"""What all strategies have in common: trigger, target, floor, what they never touch, and what they return."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.engine.talk import compact_again, compacted, reasons, shown, snapshot, system, texts, tool_turn, turns
from turnfold.compaction.apply import apply_compaction
from turnfold.compaction.run import CompactionRun
from turnfold.compaction.selective_tool_call import SelectiveToolCallCompactionStrategy
from turnfold.compaction.sliding_window import SlidingWindowStrategy
from turnfold.compaction.strategy import TriggeredStrategy
from turnfold.compaction.tool_result import ToolResultCompactionStrategy
from turnfold.compaction.truncation import TruncationStrategy
from turnfold.groups import Reason
from turnfold.messages import Message
from turnfold.triggers import Always, GroupsExceed, MessagesExceed, Never, Not, TokensBelow

LEAVES: list[Callable[..., TriggeredStrategy]] = [
    TruncationStrategy,
    SlidingWindowStrategy,
    ToolResultCompactionStrategy,
    SelectiveToolCallCompactionStrategy,
]
TALK = [system(), *(m for n in range(6) for m in tool_turn(f"c{n}", "x" * 800))]
parametrize_leaves = pytest.mark.parametrize("build", LEAVES)


@parametrize_leaves
def test_nothing_happens_while_the_trigger_does_not_hold(build: Callable[..., TriggeredStrategy]) -> None:
    run = CompactionRun()

    index, changed = compacted(TALK, build(trigger=Never(), minimum_preserved=0), run=run)

    assert not changed
    assert len(index.projection()) == len(TALK)
    assert [(action.triggered, action.changed) for action in run.actions] == [(False, False)]


@parametrize_leaves
@pytest.mark.parametrize("messages", [[], [system(), system()], [system(), *tool_turn("a")[1:]]])
def test_at_most_one_group_beside_the_system_is_left_alone(
    build: Callable[..., TriggeredStrategy], messages: list[dict[str, Any]]
) -> None:
    index, changed = compacted(messages, build(trigger=Always(), minimum_preserved=0))

    assert not changed
    assert index.projection() == messages


@parametrize_leaves
def test_system_groups_stay(build: Callable[..., TriggeredStrategy]) -> None:
    index, changed = compacted(TALK, build(trigger=Always(), minimum_preserved=0))

    assert changed
    assert index.projection()[0] == system()


@parametrize_leaves
def test_the_oldest_goes_first_and_the_target_is_tested_after_each_unit(
    build: Callable[..., TriggeredStrategy],
) -> None:
    index, changed = compacted(TALK, build(trigger=Always(), target=TokensBelow(1150), minimum_preserved=0))

    hidden = sorted(reasons(index))
    assert changed
    assert index.included.tokens < 1150
    assert hidden
    assert hidden[-1] <= 4  # no more than the first turns


@parametrize_leaves
@pytest.mark.parametrize(
    "options",
    [
        {"trigger": Always()},
        {"trigger": Always(), "minimum_preserved": 0},
        {"trigger": MessagesExceed(3), "target": Not(MessagesExceed(12)), "minimum_preserved": 1},
        {"trigger": GroupsExceed(2), "target": TokensBelow(400), "minimum_preserved": 1},
        {"trigger": Always(), "target": TokensBelow(100_000)},
    ],
)
def test_a_second_run_on_the_result_changes_nothing(
    build: Callable[..., TriggeredStrategy], options: dict[str, Any]
) -> None:
    strategy = build(**options)
    index, _ = compacted(TALK, strategy)
    before = snapshot(index)

    changed = compact_again(index, strategy)

    assert not changed
    assert snapshot(index) == before


@parametrize_leaves
def test_hidden_groups_name_the_strategy_that_hid_them(build: Callable[..., TriggeredStrategy]) -> None:
    strategy = build(trigger=Always(), minimum_preserved=0)

    index, _ = compacted(TALK, strategy)

    assert set(reasons(index).values()) == {strategy.name}


@parametrize_leaves
def test_what_is_hidden_already_keeps_its_reason_and_counts_for_no_floor(
    build: Callable[..., TriggeredStrategy],
) -> None:
    # given the newest groups are orphans, which nobody sees
    messages = [*TALK, {"role": "tool", "tool_call_id": "nobody", "content": "x"}]

    # when
    index, _ = compacted(messages, build(trigger=Always(), minimum_preserved=2))

    # then
    assert reasons(index)[len(TALK)] == Reason.ORPHAN
    assert len(TALK) - 1 in shown(index)


@parametrize_leaves
@pytest.mark.parametrize("floor", [-1, 1.5, True, "2"])
def test_a_bad_floor_is_named(build: Callable[..., TriggeredStrategy], floor: object) -> None:
    with pytest.raises(ValueError, match="minimum_preserved"):
        build(trigger=Always(), minimum_preserved=floor)


@parametrize_leaves
def test_without_trigger_or_shorthand_the_trigger_is_named_as_missing(build: Callable[..., TriggeredStrategy]) -> None:
    with pytest.raises(ValueError, match=r"^trigger:"):
        build()


async def test_no_strategy_means_no_compaction() -> None:
    assert await apply_compaction(TALK, strategy=None) == TALK


async def test_a_strategy_works_on_plain_dictionaries() -> None:
    left = await apply_compaction(turns(3), strategy=TruncationStrategy(trigger=Always(), minimum_preserved=2))

    assert left == turns(3)[-2:]


async def test_a_strategy_of_the_callers_own_is_any_async_callable_that_changes_the_list() -> None:
    async def keep_users(messages: list[Message]) -> bool:
        messages[:] = [message for message in messages if message.role == "user"]
        return True

    assert texts(await apply_compaction(turns(2), strategy=keep_users)) == ["u1  ", "u2  "]


def test_a_strategy_can_be_called_with_a_list_as_custom_strategies_are() -> None:
    messages = [Message(message) for message in turns(3)]
    strategy = TruncationStrategy(trigger=MessagesExceed(2), minimum_preserved=1)

    assert asyncio.run(strategy(messages))
    assert messages == turns(3)[-2:]
    assert not asyncio.run(strategy(messages))
