"""What was said is found again: folded or not, indexed or not, until it is erased."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.sessions import Desk, said
from turnfold.errors import BadInput, NotFound
from turnfold.operations.erasure import erase_message
from turnfold.operations.recall import originals, search
from turnfold.recall.hit import Hit
from turnfold.recall.indexing import index_session
from turnfold.sessions.session_key import SessionKey
from turnfold.sessions.store import SessionStore

FACT = {"role": "user", "content": "By the way, the spare key is under the blue flower pot."}


@pytest.fixture
def desk(store: SessionStore) -> Desk:
    return Desk(store)


async def found(desk: Desk, query: str, limit: int = 5) -> list[Hit]:
    return await search(desk.service, "s", query, limit=limit)


async def indexed(desk: Desk) -> int:
    index = await desk.store.read_index(desk.service.key("s"), with_data=False)
    return index.through if index else 0


async def folded_session(desk: Desk) -> None:
    await desk.service.append("s", [FACT, *said(8)])
    await desk.work()


async def test_a_folded_message_is_found_with_its_position_its_group_and_its_passage(desk: Desk) -> None:
    await folded_session(desk)

    best = (await found(desk, "where is the spare key?"))[0]

    assert best.message == FACT
    assert (best.position, best.group, best.folded) == (1, "g1", True)
    assert best.snippet == FACT["content"]
    assert best.id == (await desk.service.messages("s", limit=1)).entries[1].id


async def test_what_is_still_shown_is_found_too_and_said_not_to_be_folded(desk: Desk) -> None:
    await folded_session(desk)
    await desk.service.append("s", [{"role": "user", "content": "The gardener comes on Thursdays."}])

    best = (await found(desk, "gardener"))[0]

    assert (best.position, best.folded) == (10, False)


async def test_the_same_is_found_with_an_index_as_without(desk: Desk) -> None:
    await folded_session(desk)
    before = await found(desk, "spare key pallets invoice", limit=10)

    assert await index_session(desk.store, desk.service.key("s"))
    assert await indexed(desk) == 9

    assert await found(desk, "spare key pallets invoice", limit=10) == before


async def test_what_came_after_the_index_was_made_is_found(desk: Desk) -> None:
    await folded_session(desk)
    await index_session(desk.store, desk.service.key("s"))
    await desk.service.append("s", [{"role": "user", "content": "The gardener comes on Thursdays."}])

    assert await indexed(desk) == 9
    assert [hit.position for hit in await found(desk, "gardener")] == [10]
    assert (await found(desk, "spare key"))[0].position == 1


async def test_a_little_that_is_new_is_left_to_the_search_and_much_goes_into_the_index(desk: Desk) -> None:
    key = desk.service.key("s")
    await folded_session(desk)
    assert await index_session(desk.store, key)

    await desk.service.append("s", said(2, 9))
    assert not await index_session(desk.store, key)

    await desk.service.append("s", said(60, 11))
    assert await index_session(desk.store, key)
    assert await indexed(desk) == 71
    assert (await found(desk, "spare key"))[0].position == 1
    assert (await found(desk, '"Message 70."'))[0].position == 71


async def test_an_erased_message_is_found_no_more_and_is_not_in_the_next_index(desk: Desk) -> None:
    key = desk.service.key("s")
    await folded_session(desk)
    await index_session(desk.store, key)

    await erase_message(desk.service, "s", (await found(desk, "spare key"))[0].id)

    assert await indexed(desk) == 0
    assert "flower pot" not in str(await found(desk, "spare key blue flower pot"))
    assert await index_session(desk.store, key)
    assert await indexed(desk) == 9
    assert "flower pot" not in str(await found(desk, "spare key blue flower pot"))


async def test_an_index_that_cannot_be_read_is_passed_over_and_made_anew(desk: Desk) -> None:
    key = desk.service.key("s")
    await folded_session(desk)
    await index_session(desk.store, key)
    index = await desk.store.read_index(key)
    assert index is not None
    for data in (b"nonsense", b"", index.data[:-9]):
        assert await desk.store.keep_index(key, replace(index, data=data, tokens=0))
        assert (await found(desk, "spare key"))[0].position == 1

    await desk.service.append("s", said(40, 9))
    assert await index_session(desk.store, key)
    assert (await found(desk, "spare key"))[0].position == 1


async def test_an_index_of_another_form_is_made_anew(desk: Desk) -> None:
    key = desk.service.key("s")
    await folded_session(desk)
    await index_session(desk.store, key)
    index = await desk.store.read_index(key)
    assert index is not None
    await desk.store.keep_index(key, replace(index, format=99))

    assert (await found(desk, "spare key"))[0].position == 1
    assert await index_session(desk.store, key)


async def test_nothing_of_another_session_or_tenant_is_found(desk: Desk) -> None:
    await folded_session(desk)
    await desk.service.append("t", said(2))
    other = desk.service.for_tenant("other")
    await other.append("s", said(2))

    assert await search(desk.service, "t", "spare key") == []
    assert await search(other, "s", "spare key") == []


async def test_there_must_be_a_session_and_a_query(desk: Desk) -> None:
    await desk.service.append("s", said(1))

    with pytest.raises(NotFound):
        await search(desk.service, "nobody", "key")
    for query, limit in ((" ", 5), ("x" * 2001, 5), ("key", 0), ("key", 1001)):
        with pytest.raises(BadInput):
            await search(desk.service, "s", query, limit=limit)
    assert not await index_session(desk.store, SessionKey("default", "nobody"))


async def test_a_query_of_signs_alone_finds_nothing(desk: Desk) -> None:
    await desk.service.append("s", said(2))

    for query in ("?", '"', "* OR NEAR(", "-", "\x00", "'; drop table words; --"):
        assert isinstance(await found(desk, query), list)


async def test_the_group_is_the_one_that_the_message_ended_up_in(desk: Desk) -> None:
    def call(name: str) -> dict[str, object]:
        function = {"name": "look", "arguments": f'{{"at": "{name}"}}'}
        return {"role": "assistant", "tool_calls": [{"id": name, "type": "function", "function": function}]}

    thinking = {"role": "assistant", "content": None, "reasoning_content": "Perhaps the walrus knows."}
    await desk.service.append("s", [{"role": "user", "content": "Go."}, thinking])
    await index_session(desk.store, desk.service.key("s"))
    await desk.service.append("s", [call("a"), {"role": "tool", "tool_call_id": "a", "content": "Nothing there."}])

    _, index = await desk.service.history("s")
    group = next(group.id for group in index.groups if 2 in group.positions)
    assert (await found(desk, "walrus"))[0].group == group


async def test_a_summary_leads_to_all_messages_under_it_through_earlier_ones(desk: Desk) -> None:
    await folded_session(desk)
    await desk.service.append("s", said(12, 9))
    await desk.work()
    records = await desk.store.summaries(desk.service.key("s"))
    latest = next(name for name in records if not any(name in other["summary_of"] for other in records.values()))

    key = desk.service.key("s")
    assert await desk.store.some_summaries(key, [latest, "summary-none"]) == {latest: records[latest]}
    assert await desk.store.some_summaries(key, []) == {}
    whole = await originals(desk.service, "s", latest, limit=100)
    assert len(whole.chain) == len(records) > 1
    assert [entry.position for entry in whole.entries] == list(whole.positions)
    assert whole.entries[0].message == FACT

    page = await originals(desk.service, "s", latest, after=2, limit=2)
    assert [entry.position for entry in page.entries] == [3, 4]
    with pytest.raises(NotFound):
        await originals(desk.service, "s", "summary-none")
    with pytest.raises(NotFound):
        await originals(desk.service, "nobody", latest)
