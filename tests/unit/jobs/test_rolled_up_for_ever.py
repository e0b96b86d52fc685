"""A conversation without an end: summaries are rolled up, and nothing that a turn reads grows with the history."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tests.support.sessions import Desk, said
from turnfold import jsonio
from turnfold.audit import audit
from turnfold.operations.recall import originals, search
from turnfold.recall.indexing import index_session
from turnfold.sessions.memory_store import MemoryStore

ROUNDS = 60
A_ROUND = 8
TWO_STEPS: dict[str, Any] = {
    "strategy": "pipeline",
    "strategies": [
        {"strategy": "tool_result", "trigger": {"tokens_exceed": 300}},
        {"strategy": "summarization", "trigger": {"tokens_exceed": 1200}, "target": {"tokens_below": 500}},
        {"strategy": "summarization", "trigger": {"messages_exceed": 12}, "minimum_preserved": 3},
        {"strategy": "truncation", "max_tokens": 3000},
    ],
}


@dataclass(frozen=True)
class Sizes:
    """Of what is read for a turn, and by a worker."""

    summaries: int
    summary_tokens: int
    messages: int
    view_bytes: int
    state_bytes: int


async def sizes(desk: Desk) -> Sizes:
    turn = await desk.service.context("s")
    read = await desk.store.read_live(desk.service.key("s"))
    assert read is not None
    made = [group for group in read.view.made if group.durable]
    return Sizes(
        summaries=len(made),
        summary_tokens=sum(group.token_count for group in made),
        messages=len(turn.messages),
        view_bytes=len(read.view.to_json()),
        state_bytes=len(jsonio.dumps(read.head.state)),
    )


@pytest.mark.parametrize("policy", [None, TWO_STEPS], ids=["one step", "two steps"])
async def test_however_long_it_goes_on_a_turn_reads_no_more(policy: dict[str, Any] | None) -> None:
    desk = Desk(MemoryStore(), policy) if policy else Desk(MemoryStore())
    seen: list[Sizes] = []
    for number in range(ROUNDS):
        await desk.service.append("s", said(A_ROUND, 1 + number * A_ROUND))
        await desk.work()
        seen.append(await sizes(desk))

    assert max(one.summaries for one in seen) == 1
    early, late = seen[5 : ROUNDS // 2], seen[ROUNDS // 2 :]
    for name in ("summary_tokens", "messages", "view_bytes", "state_bytes"):
        most_early, most_late = (max(getattr(one, name) for one in some) for some in (early, late))
        assert most_late <= most_early * 1.2 + 2, name
    assert await audit(desk.store, desk.service.key("s"), desk.policy) == []


async def test_and_every_original_is_one_step_away() -> None:
    desk = Desk(MemoryStore())
    for number in range(ROUNDS):
        await desk.service.append("s", said(A_ROUND, 1 + number * A_ROUND))
        await desk.work()
    key = desk.service.key("s")
    await index_session(desk.store, key)
    records = await desk.store.summaries(key)
    read = await desk.store.read_live(key)
    assert read is not None
    (live,) = [group for group in read.view.made if group.durable]

    under = await originals(desk.service, "s", live.id, limit=10_000)

    assert len(records) >= ROUNDS // 2
    assert set(under.chain) == set(records)
    assert list(under.positions) == list(range(1, read.view.live))
    assert [entry.position for entry in under.entries] == list(under.positions)
    told = [position for record in records.values() for position in record["positions"]]
    assert len(told) == len(set(told))
    for number in (1, 77, 301):
        assert (await search(desk.service, "s", f'"Message {number}."'))[0].position == number
