"""A summarization inside a token budget: the container says when it is due, and when enough is folded."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.sessions import LONG, Desk, said
from turnfold.sessions.memory_store import MemoryStore
from turnfold.tokens import CharacterEstimatorTokenizer

EACH = CharacterEstimatorTokenizer().count_tokens(f"Message 10. {LONG}")
BUDGET = 8 * EACH
ALWAYS: dict[str, Any] = {
    "strategy": "summarization",
    "trigger": "always",
    "minimum_preserved": 1,
    "min_source_tokens": 0,
}


def budget(step: dict[str, Any], tokens: int = BUDGET) -> dict[str, Any]:
    return {"strategy": "token_budget", "token_budget": tokens, "strategies": [step]}


def desk_for(policy: dict[str, Any]) -> Desk:
    return Desk(MemoryStore(), policy)


async def folded(desk: Desk) -> tuple[int, int]:
    """How many messages are shown word for word, and how many tokens no summary covers."""
    index = (await desk.service.history("s"))[1]
    live = [group for group in index.groups if group.is_live]
    return sum(len(group.positions) for group in live), sum(group.token_count for group in live)


async def test_within_the_budget_no_job_is_recorded() -> None:
    desk = desk_for(budget(ALWAYS))

    answer = await desk.service.append("s", said(8))

    assert answer.job is None


async def test_what_inline_steps_hide_does_not_bring_a_session_within_its_budget() -> None:
    """The job is due on what no summary covers, although the model gets no more than the budget."""
    desk = desk_for(budget(ALWAYS))
    await desk.service.append("s", said(9))
    turn = await desk.service.context("s")

    answer = await desk.service.append("s", said(1, first=10))

    assert turn.counts["tokens"] <= BUDGET
    assert answer.job is not None


@pytest.mark.parametrize(
    "policy",
    [
        budget(ALWAYS),
        {"strategy": "pipeline", "strategies": [budget(ALWAYS)]},
        budget(budget(ALWAYS, tokens=BUDGET // 2)),
        budget({**ALWAYS, "trigger": {"tokens_exceed": BUDGET // 2}}),
    ],
)
async def test_a_step_without_a_target_folds_until_the_budget_holds(policy: dict[str, Any]) -> None:
    desk = desk_for(policy)
    await desk.service.append("s", said(14))

    jobs = await desk.work()

    words, tokens = await folded(desk)
    assert jobs == 1
    assert tokens <= BUDGET
    assert words >= 6


@pytest.mark.parametrize(
    ("step", "left"),
    [
        ({**ALWAYS, "target": {"not": {"messages_exceed": 3}}}, 3),
        ({"strategy": "summarization", "target_count": 2}, 2),
        ({"strategy": "summarization"}, 4),
    ],
)
async def test_a_step_that_says_how_far_to_fold_is_heard(step: dict[str, Any], left: int) -> None:
    desk = desk_for(budget(step))
    await desk.service.append("s", said(14))

    await desk.work()

    assert (await folded(desk))[0] == left


async def test_a_fold_that_is_asked_for_goes_to_the_floor_whatever_the_budget() -> None:
    desk = desk_for(budget(ALWAYS))
    await desk.service.append("s", said(8))

    await desk.service.compact("s")
    await desk.work()

    assert (await folded(desk))[0] == 1
