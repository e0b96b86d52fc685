"""What is pinned stands in every summary to the letter."""

from __future__ import annotations

import pytest

from tests.support.sessions import Desk, said
from turnfold.audit import audit
from turnfold.errors import BadInput, NotFound
from turnfold.sessions.store import SessionStore
from turnfold.summaries.summarizer import SummaryReply, SummaryRequest

PINNED = "No nuts, whatever the recipe says.\nMy son is allergic:  walnuts, hazelnuts."
PROSE = "The crate left Esbjerg with 312 pallets for Ana Brandt."


class Model:
    """Writes the same prose each time; may do something while it writes."""

    name = "model"

    def __init__(self, *replies: str) -> None:
        self.asked: list[SummaryRequest] = []
        self.replies = replies or (PROSE,)
        self.desk: Desk | None = None
        self.pins_meanwhile: list[str] = []

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        self.asked.append(request)
        for message_id in self.pins_meanwhile:
            assert self.desk is not None
            await self.desk.service.pin("s", message_id)
        reply = self.replies[min(len(self.asked), len(self.replies)) - 1]
        return SummaryReply(text=reply, model="m", prompt_version="2")


@pytest.fixture
def desk(store: SessionStore) -> Desk:
    return Desk(store)


async def summary_of(desk: Desk) -> str:
    turn = await desk.service.context("s")
    assert await audit(desk.store, desk.service.key("s"), desk.policy) == []
    return next(m.text for m in turn.messages if m.text.startswith("[Summary]"))


async def test_a_message_pinned_when_it_is_appended_stands_in_the_summary_to_the_letter(desk: Desk) -> None:
    await desk.service.append("s", [{"role": "user", "content": PINNED}], pin=True)
    await desk.service.append("s", said(8))
    await desk.work()

    assert PINNED in await summary_of(desk)


async def test_and_in_each_summary_that_folds_that_one(desk: Desk) -> None:
    await desk.service.append("s", [{"role": "user", "content": PINNED}], pin=True)
    for first in (1, 9, 17):
        await desk.service.append("s", said(8, first))
        await desk.work()

    text = await summary_of(desk)
    assert text.count(PINNED) == 1


async def test_some_of_the_messages_and_facts_can_be_pinned(desk: Desk) -> None:
    talk = [{"role": "user", "content": "Just so."}, {"role": "user", "content": PINNED}, *said(7)]
    await desk.service.append("s", talk, pin=[1, "Contract value: 12,000 euro, net."])
    await desk.work()

    text = await summary_of(desk)
    assert PINNED in text
    assert "Contract value: 12,000 euro, net." in text


async def test_a_models_summary_holds_them_too(store: SessionStore) -> None:
    desk = Desk(store, summarizer=Model())
    await desk.service.append("s", [{"role": "user", "content": PINNED}], pin=True)
    await desk.service.append("s", said(8))
    await desk.work()

    text = await summary_of(desk)
    assert PROSE in text
    assert PINNED in text


async def test_a_pin_set_while_the_model_writes_gets_in_and_costs_no_other_call(store: SessionStore) -> None:
    model = Model()
    desk = model.desk = Desk(store, summarizer=model)
    first = await desk.service.append("s", [{"role": "user", "content": PINNED}])
    await desk.service.append("s", said(8))
    model.pins_meanwhile = first.ids

    await desk.work()

    assert PINNED in await summary_of(desk)
    assert len(model.asked) == 1


async def test_a_pin_on_a_folded_message_has_its_summary_made_again_without_a_model(store: SessionStore) -> None:
    model = Model()
    desk = Desk(store, summarizer=model)
    first = await desk.service.append("s", [{"role": "user", "content": PINNED}])
    await desk.service.append("s", said(8))
    await desk.work()
    assert PINNED not in await summary_of(desk)

    await desk.service.pin("s", first.ids[0])
    while await desk.work():
        pass

    text = await summary_of(desk)
    assert PINNED in text
    assert PROSE in text


async def test_a_pin_that_was_taken_back_is_not_kept_by_the_next_summary(desk: Desk) -> None:
    first = await desk.service.append("s", [{"role": "user", "content": PINNED}], pin=True)
    await desk.service.pin("s", first.ids[0], pinned=False)
    await desk.service.append("s", said(8))
    await desk.work()

    assert "Pinned (" not in await summary_of(desk)


async def test_a_pin_does_not_move_the_revision(desk: Desk) -> None:
    first = await desk.service.append("s", said(2))
    await desk.service.pin("s", first.ids[1])

    head = await desk.service.session("s")
    assert (head.revision, head.pins) == (first.revision, [2])
    assert (await desk.service.append("s", said(1, 3), if_match=first.revision)).revision == first.revision + 1
    assert (await desk.service.session("s")).pins == [2]


async def test_messages_that_are_nearly_all_pinned_are_not_folded_in_vain(desk: Desk) -> None:
    await desk.service.append("s", said(8), pin=True)
    await desk.work()

    turn = await desk.service.context("s")
    assert not [m for m in turn.messages if str(m["content"]).startswith("[Summary]")]
    assert await audit(desk.store, desk.service.key("s"), desk.policy) == []


async def test_only_messages_that_are_there_can_be_pinned(desk: Desk) -> None:
    await desk.service.append("s", said(1))
    with pytest.raises(NotFound):
        await desk.service.pin("s", "msg_unknown.1")
    with pytest.raises(NotFound):
        await desk.service.pin("nobody", "m")


@pytest.mark.parametrize("pin", [[1], [-1], [""], ["x" * 2001], [True], [1.5], {"a": 1}, "all", 7])
async def test_a_wrong_pin_is_refused_and_nothing_is_stored(desk: Desk, pin: object) -> None:
    with pytest.raises(BadInput, match="pin"):
        await desk.service.append("s", said(1), pin=pin)
    with pytest.raises(NotFound):
        await desk.service.session("s")


async def test_there_are_at_most_two_hundred_pins(desk: Desk) -> None:
    with pytest.raises(BadInput, match="200"):
        await desk.service.append("s", said(201), pin=True)
