"""What a job will cost, from counts alone."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.sessions import Desk, said
from turnfold.jobs.estimate import estimated
from turnfold.jobs.prices import Prices
from turnfold.policy import Policy
from turnfold.sessions.memory_store import MemoryStore

COUNT = 40


@pytest.mark.parametrize(
    ("step", "share"),
    [
        ({"trigger": {"messages_exceed": 20}, "target": {"not": {"messages_exceed": 10}}}, 0.75),
        ({"trigger": {"messages_exceed": 30}}, 0.25),
        ({"trigger": "always", "target": "never", "minimum_preserved": 4}, 0.9),
        ({"trigger": "always", "target": "never", "minimum_preserved": 100}, 0.0),
        ({"target_count": 10, "threshold": 2}, 0.75),
    ],
)
async def test_the_share_that_is_folded_follows_from_target_and_floor(step: dict[str, Any], share: float) -> None:
    policy = Policy.parse({"strategy": "summarization", "max_summary_input_tokens": None, **step})
    desk = Desk(MemoryStore(), {"strategy": "sliding_window", "keep_last_groups": 100})
    head = await _head_of(desk)

    estimate = estimated(policy, head)

    tokens = head.state["live"]["tokens"]
    prompt = estimated(Policy.parse({"strategy": "summarization", "trigger": "always", "target": "always"}), head)
    assert share * tokens - 1 <= estimate.prompt_tokens <= share * tokens + prompt.prompt_tokens
    assert estimate.completion_tokens == max(64, int(0.1 * int(tokens * share))) or share < 1


async def test_each_part_of_a_large_backlog_pays_for_its_prompt() -> None:
    desk = Desk(MemoryStore(), {"strategy": "sliding_window", "keep_last_groups": 100})
    head = await _head_of(desk)
    step: dict[str, Any] = {"strategy": "summarization", "trigger": "always", "target": "never"}

    whole = estimated(Policy.parse(step | {"max_summary_input_tokens": None}), head)
    parts = estimated(Policy.parse(step | {"max_summary_input_tokens": 500}), head)

    assert parts.prompt_tokens > whole.prompt_tokens + 1000
    assert parts.completion_tokens == whole.completion_tokens


async def _head_of(desk: Desk) -> Any:
    await desk.service.append("s", said(COUNT))
    return await desk.service.session("s")


def test_prices_are_of_a_million_tokens() -> None:
    prices = Prices(summary_input=2.0, summary_output=8.0, context_input=0.5)
    assert prices.of_summary(1_000_000, 500_000) == 6.0
    assert prices.of_summary(100, 10) == 0.00028
    assert prices.of_context(3_000_000) == 1.5
    assert Prices().of_summary(10**9, 10**9) == 0
