"""A session follows a history that somebody else keeps, and the model gets the session's view of it."""

from __future__ import annotations

import asyncio
from datetime import date
from typing import Any

from tests.support.sessions import Desk, said
from turnfold.adapters.following.follower import PART
from turnfold.adapters.following.history_view import HistoryView, Shown
from turnfold.adapters.following.place import MAX_BRANCHES
from turnfold.adapters.following.session_name import session_name
from turnfold.errors import Unavailable
from turnfold.messages import Message
from turnfold.sessions.memory_store import MemoryStore
from turnfold.sessions.session_key import checked_session_id
from turnfold.sessions.store import Read

HISTORY = "user-42"


def desk(store: MemoryStore | None = None) -> tuple[Desk, HistoryView]:
    made = Desk(store or MemoryStore())
    return made, HistoryView(made.service)


async def log_of(desk: Desk, session_id: str = HISTORY) -> list[str]:
    read = await desk.service.messages(session_id, limit=10_000)
    return [read.entries[position].message.text for position in sorted(read.entries)]


def places(shown: list[Shown]) -> list[int]:
    return [one for one in shown if isinstance(one, int)]


async def test_a_short_history_is_shown_as_it_is() -> None:
    _, view = desk()
    assert await view.show(HISTORY, said(4)) == [0, 1, 2, 3]


async def test_after_the_worker_a_summary_stands_before_the_tail() -> None:
    at, view = desk()
    await view.follow(HISTORY, said(8))

    await at.work()

    shown = await view.show(HISTORY, said(9))
    summary, *tail = shown
    assert isinstance(summary, Message)
    assert summary.text.startswith("[Summary]")
    assert summary.role == "user"  # some providers want the first message to be a user's
    assert tail == list(range(9 - len(tail), 9))
    assert len(shown) < 6


async def test_each_message_is_in_the_log_once() -> None:
    at, view = desk()
    for count in (1, 2, 2, 3, 5, 5):
        await view.show(HISTORY, said(count))
    assert await log_of(at) == [message["content"] for message in said(5)]


async def test_the_same_words_said_twice_are_two_messages() -> None:
    at, view = desk()
    yes = {"role": "user", "content": "yes"}
    assert await view.show(HISTORY, [yes, yes, yes]) == [0, 1, 2]
    assert await log_of(at) == ["yes", "yes", "yes"]


async def test_two_that_follow_one_history_at_once_append_each_message_once() -> None:
    at, view = desk()
    other = HistoryView(at.service)
    for count in range(2, 12, 2):
        await asyncio.gather(view.follow(HISTORY, said(count)), other.follow(HISTORY, said(count)))
    assert await log_of(at) == [message["content"] for message in said(10)]


async def test_an_edited_history_is_a_branch_and_nothing_is_overwritten() -> None:
    at, view = desk()
    await view.follow(HISTORY, said(4))
    edited = [*said(3), {"role": "assistant", "content": "Something else."}]

    shown = await view.show(HISTORY, edited)

    assert shown == [0, 1, 2, 3]
    assert await log_of(at) == [message["content"] for message in said(4)]
    assert await log_of(at, f"{HISTORY}~1") == [message["content"] for message in edited]
    assert (await at.service.session(f"{HISTORY}~1")).metadata == {"branch_of": HISTORY}


async def test_both_branches_go_on() -> None:
    at, view = desk()
    edited = [*said(3), {"role": "assistant", "content": "Something else."}]
    for one in (said(4), edited, said(5), [*edited, *said(1)]):
        await view.follow(HISTORY, one)
    assert len(await log_of(at)) == 5
    assert len(await log_of(at, f"{HISTORY}~1")) == 5


async def test_a_message_that_was_taken_back_and_said_again_makes_no_branch() -> None:
    at, view = desk()
    await view.follow(HISTORY, said(4))
    assert await view.show(HISTORY, said(3)) == [0, 1, 2]
    assert await view.show(HISTORY, said(4)) == [0, 1, 2, 3]
    assert await log_of(at) == [message["content"] for message in said(4)]


async def test_an_older_copy_of_a_history_is_not_shown_what_came_later() -> None:
    _, view = desk()
    await view.follow(HISTORY, said(5))
    assert await view.show(HISTORY, said(3)) == [0, 1, 2]


async def test_a_history_cut_within_what_was_folded_is_shown_from_a_branch() -> None:
    at, view = desk()
    await view.follow(HISTORY, said(8))
    await at.work()

    shown = await view.show(HISTORY, said(3))

    assert shown == [0, 1, 2]
    assert await log_of(at, f"{HISTORY}~1") == [message["content"] for message in said(3)]


async def test_a_history_that_is_cut_anew_each_turn_is_not_copied_for_ever() -> None:
    at, view = desk()
    for first in range(1, MAX_BRANCHES + 4):
        assert len(await view.show(HISTORY, said(3, first))) == 3
    assert len(await at.store.list_sessions("default", None, 1_000)) == MAX_BRANCHES + 1


async def test_a_long_history_goes_over_in_parts() -> None:
    at, view = desk()
    history = [{"role": "user", "content": str(n)} for n in range(2 * PART + 5)]
    await view.follow(HISTORY, history)
    assert await log_of(at) == [message["content"] for message in history]


class BrokenStore(MemoryStore):
    """Out of reach while `broken` is set."""

    broken: Any = None

    async def read_log(self, key: Any, after: int, limit: int) -> Read | None:
        if self.broken is not None:
            await self.broken()
        return await super().read_log(key, after, limit)


async def out_of_reach() -> None:
    raise Unavailable


async def test_without_its_store_a_history_is_shown_after_the_steps_that_need_none() -> None:
    store = BrokenStore()
    at, view = desk(store)
    await view.follow(HISTORY, said(4))
    store.broken = out_of_reach

    shown = await view.show(HISTORY, said(12))

    assert places(shown) == list(range(3, 12))  # the policy's truncation
    store.broken = None
    await view.show(HISTORY, said(13))
    assert len(await log_of(at)) == 13


async def test_a_store_that_hangs_costs_a_turn_no_more_than_the_deadline() -> None:
    store = BrokenStore()
    at = Desk(store)
    view = HistoryView(at.service, deadline_seconds=0.05)
    await view.follow(HISTORY, said(2))
    store.broken = asyncio.Event().wait
    assert await view.show(HISTORY, said(3)) == [0, 1, 2]


async def test_of_a_history_that_nobody_keeps_nothing_is_stored() -> None:
    at, view = desk()
    shown = await view.show(None, said(12))
    await view.follow(None, said(12))
    assert len(shown) == 9
    assert await at.store.list_sessions("default", None, 10) == []


async def test_a_result_without_its_call_is_not_shown() -> None:
    _, view = desk()
    orphan = {"role": "tool", "tool_call_id": "gone", "content": "42"}
    assert await view.show(HISTORY, [orphan, *said(2)]) == [1, 2]
    assert await view.show(None, [orphan, *said(2)]) == [1, 2]


async def test_a_forgotten_history_takes_its_branches_along() -> None:
    at, view = desk()
    await view.follow(HISTORY, said(4))
    await view.follow(HISTORY, said(2, 7))

    await view.forget(HISTORY)

    assert await at.store.list_sessions("default", None, 10) == []
    await view.forget(HISTORY)


async def test_a_history_may_have_any_name() -> None:
    names = ("user-42", "a/b", "a%2Fb", "über\n", "über", "x" * 900, "x" * 901, "a~1", "a%7E1", "\ud800")
    assert len({checked_session_id(session_name(name)) for name in names}) == len(names)
    assert session_name("user-42") == "user-42"
    at, view = desk()
    await view.follow("tenants/7", said(1))
    assert await log_of(at, "tenants%2F7") == [said(1)[0]["content"]]


async def test_what_json_has_no_form_for_does_not_end_a_turn() -> None:
    at, view = desk()
    odd = {
        "type": "image",
        "source": {"bytes": b"\x00\xff" * 9, "scale": float("nan")},
        "seen": {1: [date(2026, 1, 1)]},
    }
    assert await view.show(HISTORY, [{"role": "user", "content": [odd]}]) == [0]
    read = await at.service.messages(HISTORY)
    (part,) = read.entries[1].message["content"]
    assert part["seen"] == {"1": ["2026-01-01"]}
    assert part["source"]["bytes"].startswith("bytes#")


async def test_the_bytes_of_an_image_stay_with_the_framework() -> None:
    at, view = desk()
    head = "data:image/png;base64," + "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"
    pictures = [
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": head + end * 100_000}}]} for end in "AB"
    ]

    assert await view.show(HISTORY, pictures) == [0, 1]

    read = await at.service.messages(HISTORY)
    first, second = (read.entries[position] for position in (1, 2))
    assert len(str(first.message)) < 500
    assert first.message["content"] != second.message["content"]
    assert first.tokens < 300


async def test_what_is_sent_beside_the_messages_is_learned_from_what_providers_report() -> None:
    at, view = desk()
    await view.show(HISTORY, said(1))
    counted = (await at.service.session(HISTORY)).state["included"]["tokens"]

    await view.follow(HISTORY, said(2), input_tokens={1: counted + 700})

    assert (await at.service.session(HISTORY)).overhead_tokens == 700
    await view.follow(HISTORY, said(4), input_tokens={3: 9_000})  # not the first that is new: told of other messages
    assert (await at.service.session(HISTORY)).overhead_tokens == 700
