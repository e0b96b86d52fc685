"""Calls that are never answered: what an append writes, and what a turn reads, does not grow with them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from tests.support.sessions import Desk, said
from turnfold import jsonio
from turnfold.audit import audit
from turnfold.sessions.open_end import MOST_CALLS, MOST_GROUPS
from turnfold.sessions.store import SessionStore

WINDOW = {"strategy": "truncation", "max_messages": 40}


@pytest.fixture
def desk(store: SessionStore) -> Desk:
    return Desk(store, WINDOW)


def calling(*ids: str) -> dict[str, Any]:
    calls = [{"id": i, "type": "function", "function": {"name": "look", "arguments": "{}"}} for i in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def result(call: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call, "content": f"found {call}"}


def thought(n: int) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "reasoning_content": f"thought {n}"}


async def append(desk: Desk, messages: Iterable[dict[str, Any]]) -> None:
    waiting = list(messages)
    for start in range(0, len(waiting), 500):
        await desk.service.append("s", waiting[start : start + 500])


async def written(desk: Desk) -> int:
    """Bytes of what every append writes besides its messages."""
    return len(jsonio.dumps((await desk.service.session("s")).state))


async def read(desk: Desk) -> int:
    """Messages that a turn reads."""
    turn = await desk.store.read_turn(desk.service.key("s"))
    assert turn is not None
    return len(turn.entries)


async def findings(desk: Desk) -> list[str]:
    return [str(finding) for finding in await audit(desk.store, desk.service.key("s"), desk.policy)]


async def test_what_is_written_and_read_does_not_grow_with_calls_that_nobody_answers(desk: Desk) -> None:
    # given
    await append(desk, (calling(f"c{n}") for n in range(2 * MOST_GROUPS)))
    await append(desk, said(4))
    await desk.service.context("s")
    before = (await written(desk), await read(desk))

    # when
    await append(desk, (calling(f"d{n}") for n in range(2 * MOST_GROUPS)))
    await append(desk, said(4))
    await desk.service.context("s")

    # then
    assert await written(desk) < 1.1 * before[0]
    assert await read(desk) <= before[1] + 8
    assert await findings(desk) == []


async def test_what_is_written_does_not_grow_with_the_calls_of_one_message(desk: Desk) -> None:
    # given
    await append(desk, [calling(*(f"c{n}" for n in range(4 * MOST_CALLS)))])
    await append(desk, said(2))

    # then
    assert await written(desk) < 10_000
    assert await findings(desk) == []


async def test_many_calls_of_one_message_are_answered_one_by_one(desk: Desk) -> None:
    # given
    ids = [f"c{n}" for n in range(MOST_CALLS + 100)]
    await append(desk, [*said(1), calling(*ids)])

    # when
    await append(desk, map(result, ids))

    # then
    turn = await desk.service.context("s")
    assert [message["role"] for message in turn.messages].count("tool") == len(ids)
    assert await findings(desk) == []


async def test_as_many_calls_as_are_remembered_can_all_be_answered_late(desk: Desk) -> None:
    # given
    ids = [f"c{n}" for n in range(MOST_GROUPS - 10)]
    await append(desk, map(calling, ids))
    await append(desk, said(3))
    await desk.service.context("s")

    # when
    await append(desk, map(result, reversed(ids)))

    # then
    _, index = await desk.service.history("s")
    answered = [group for group in index.groups if group.is_tool_call and len(group.positions) == 2]
    assert len(answered) == len(ids)
    assert await findings(desk) == []


async def test_a_result_whose_call_is_no_longer_waited_for_is_hidden_and_breaks_nothing(desk: Desk) -> None:
    # given
    await append(desk, (calling(f"c{n}") for n in range(2 * MOST_GROUPS)))
    await append(desk, said(2))

    # when
    await append(desk, [result("c0"), result(f"c{2 * MOST_GROUPS - 1}"), *said(1, 3)])

    # then
    turn = await desk.service.context("s")
    assert [m["content"] for m in turn.messages if m["role"] == "tool"] == [f"found c{2 * MOST_GROUPS - 1}"]
    assert await findings(desk) == []


async def test_reasoning_that_stands_alone_while_a_call_waits_is_bounded_too(desk: Desk) -> None:
    # given: the call could still claim it
    await append(desk, [*said(1), calling("c", "d")])
    await append(desk, (message for n in range(600) for message in (thought(n), *said(1, 2 + 2 * n))))
    before = await written(desk)
    await append(desk, (message for n in range(600) for message in (thought(n), *said(1, 2 + 2 * n))))

    # then
    assert await written(desk) < 1.1 * before
    await append(desk, [result("c"), *said(1)])
    assert await findings(desk) == []


async def test_a_long_run_of_reasoning_is_bounded_and_its_call_stays_whole(desk: Desk) -> None:
    # given
    await append(desk, [*said(1), calling("c", "d")])
    await append(desk, (thought(n) for n in range(3 * MOST_GROUPS)))

    # then
    assert await written(desk) < 200_000
    await append(desk, [result("c")])
    assert await findings(desk) == []
    await append(desk, [calling("e"), result("e"), result("d"), *said(1)])
    await desk.service.context("s")
    assert await findings(desk) == []
