"""A summary that is taken back: its sources show again, and no trigger folds them again."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.sessions import EAGER, Desk, said
from turnfold.audit import audit
from turnfold.errors import Conflict, NotFound
from turnfold.index import MessageIndex
from turnfold.operations.erasure import erase_message
from turnfold.operations.unfolding import Unfolded, unfold
from turnfold.policy import Policy
from turnfold.sessions.store import SessionStore


@pytest.fixture
def desk(store: SessionStore) -> Desk:
    return Desk(store)


async def shown(desk: Desk) -> list[str]:
    """The beginnings of what the model would get."""
    return [str(message["content"])[:11] for message in (await desk.service.context("s")).messages]


async def is_sound(desk: Desk) -> bool:
    return await audit(desk.store, desk.service.key("s"), desk.policy) == []


async def folded(desk: Desk) -> str:
    """A session of eight messages, the oldest five folded; the summary's id."""
    await desk.service.append("s", said(8))
    await desk.work()
    (summary,) = await desk.store.summaries(desk.service.key("s"))
    return summary


async def test_the_sources_show_again_and_the_summary_is_gone(desk: Desk) -> None:
    summary = await folded(desk)
    before = await desk.service.session("s")

    unfolded = await unfold(desk.service, "s", summary)

    after = await desk.service.session("s")
    assert await shown(desk) == [f"Message {n}. " for n in range(1, 9)]
    assert unfolded == Unfolded(groups=5, messages=5)
    assert (after.revision, after.view_revision) == (before.revision, before.view_revision + 1)
    assert await desk.store.summaries(desk.service.key("s")) == {}
    assert await is_sound(desk)


async def test_no_trigger_folds_them_again_but_what_comes_later_is_folded(store: SessionStore) -> None:
    desk = Desk(store, EAGER["strategies"][0])
    await unfold(desk.service, "s", await folded(desk))

    for n in range(9, 60, 3):
        await desk.service.append("s", said(3, n))
        await desk.work()

    told = await shown(desk)
    assert told[:5] == [f"Message {n}. " for n in range(1, 6)]
    assert told[5].startswith("[Summary]")
    assert len(told) < 20
    assert await is_sound(desk)


async def test_what_shows_again_makes_nothing_due(desk: Desk) -> None:
    await unfold(desk.service, "s", await folded(desk))
    assert (await desk.service.session("s")).pending_job == ""
    assert (await desk.service.append("s", said(1, 9))).job is None


async def test_a_compaction_that_is_asked_for_folds_them(desk: Desk) -> None:
    await unfold(desk.service, "s", await folded(desk))

    await desk.service.compact("s")
    await desk.work()

    assert (await shown(desk))[0].startswith("[Summary]")
    assert (await desk.service.session("s")).held == {}
    assert await is_sound(desk)
    assert (await desk.service.append("s", said(8, 9))).job is not None


async def test_an_earlier_summary_among_the_sources_shows_again_and_stays(desk: Desk) -> None:
    first = await folded(desk)
    await desk.service.append("s", said(8, 9))
    await desk.work()
    second = next(name for name in await desk.store.summaries(desk.service.key("s")) if name != first)

    with pytest.raises(Conflict, match=second):
        await unfold(desk.service, "s", first)
    await unfold(desk.service, "s", second)
    for n in range(17, 41, 8):
        await desk.service.append("s", said(8, n))
        await desk.work()

    records = await desk.store.summaries(desk.service.key("s"))
    assert first in records
    assert not any(first in record["summary_of"] for record in records.values())
    assert await is_sound(desk)


async def test_a_summary_made_again_for_a_pin_goes_with_the_one_that_it_repeats(desk: Desk) -> None:
    await folded(desk)
    read = await desk.service.messages("s")
    await desk.service.pin("s", read.entries[1].id)
    await desk.work()
    key = desk.service.key("s")
    records = await desk.store.summaries(key)
    newest = next(name for name in records if not any(name in one["summary_of"] for one in records.values()))
    assert len(records) == 2

    await unfold(desk.service, "s", newest)

    assert await desk.store.summaries(key) == {}
    assert [text[:7] for text in await shown(desk)] == ["Message"] * 8


async def test_a_turn_does_not_read_what_is_folded_behind_the_part_that_shows_again(store: SessionStore) -> None:
    # given: the first hundred messages unfolded, and a long history after them
    step: dict[str, Any] = {"trigger": {"messages_exceed": 100}, "target": {"not": {"messages_exceed": 8}}}
    desk = Desk(store, {"strategy": "summarization", "min_source_tokens": 0, **step})
    await desk.service.append("s", said(108))
    await desk.work()
    (summary,) = await desk.store.summaries(desk.service.key("s"))
    await unfold(desk.service, "s", summary)

    # when
    for n in range(109, 509, 100):
        await desk.service.append("s", said(100, n))
        await desk.work()

    # then
    read = await desk.store.read_turn(desk.service.key("s"))
    assert read is not None
    assert read.head.length == 508
    assert len(read.entries) < 220
    assert await is_sound(desk)


async def test_a_message_that_shows_again_can_be_erased(desk: Desk) -> None:
    await unfold(desk.service, "s", await folded(desk))
    read = await desk.service.messages("s")
    await erase_message(desk.service, "s", read.entries[3].id)
    assert await shown(desk) == [f"Message {n}. " for n in (1, 2, 4, 5, 6, 7, 8)]
    assert await is_sound(desk)


async def test_another_tokenizer_counts_anew_what_shows_again(desk: Desk) -> None:
    await unfold(desk.service, "s", await folded(desk))
    exact = Policy.parse(desk.policy.to_dict() | {"tokenizer": "o200k_base"})
    await desk.service.update("s", policy=exact.json)
    await desk.service.context("s")
    head = await desk.service.session("s")
    assert head.held["tokens"] == MessageIndex(said(5), tokenizer=exact.tokenizer).all.tokens
    assert await is_sound(desk)


async def test_messages_that_come_meanwhile_are_kept(store: SessionStore) -> None:
    desks = [Desk(store) for _ in range(4)]
    summary = await folded(desks[0])
    await asyncio.gather(
        unfold(desks[0].service, "s", summary),
        *(desks[n % 4].service.append("s", said(1, 9 + n)) for n in range(12)),
    )
    assert (await desks[0].service.session("s")).length == 20
    assert await is_sound(desks[0])


async def test_only_a_summary_can_be_taken_back(desk: Desk) -> None:
    await folded(desk)
    for name in ("g1", "summary-none", ""):
        with pytest.raises(NotFound):
            await unfold(desk.service, "s", name)
    with pytest.raises(NotFound):
        await unfold(desk.service, "none", "g1")
