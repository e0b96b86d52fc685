"""What a summarizer must not see does not leave, and stands in the summary all the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.sessions import Desk, said
from turnfold.audit import audit
from turnfold.operations.erasure import erase_message
from turnfold.operations.rebuilding import request_rebuild
from turnfold.redaction.patterns import own_patterns, patterns_named
from turnfold.redaction.redactor import Redactor
from turnfold.sessions.store import SessionStore
from turnfold.summaries.summarizer import SummaryReply, SummaryRequest

REDACTOR = Redactor([*own_patterns({"order": r"DK-\d+"}), *patterns_named("email,phone,card")])
SECRETS = ("ana.brandt@example.com", "+45 75 12 34 56", "4111 1111 1111 1111", "DK-99812")
TOLD = {
    "role": "user",
    "content": "I am Ana, ana.brandt@example.com, +45 75 12 34 56; my card is 4111 1111 1111 1111, my order DK-99812.",
}


class Model:
    """Tells who Ana is by what it sees of her."""

    name = "model"

    def __init__(self) -> None:
        self.seen: list[str] = []

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        shown = [str(message["content"]) for message in request.messages] + list(request.earlier)
        self.seen += shown
        line = next(part for part in shown if "I am Ana" in part or "She is Ana" in part)
        marks = line[line.index("Ana, ") :].splitlines()[0]
        return SummaryReply(text=f"She is {marks}", model="m", prompt_version="2")


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def desk(store: SessionStore, model: Model) -> Desk:
    desk = Desk(store, summarizer=model)
    desk.workshop = replace(desk.workshop, redactor=REDACTOR)
    return desk


async def summary_of(desk: Desk) -> str:
    assert await audit(desk.store, desk.service.key("s"), desk.policy) == []
    turn = await desk.service.context("s")
    return next(str(m["content"]) for m in turn.messages if str(m["content"]).startswith("[Summary]"))


async def test_no_value_leaves_and_all_come_back(desk: Desk, model: Model) -> None:
    await desk.service.append("s", [TOLD, *said(8)])
    await desk.work()

    assert not any(secret in text for secret in SECRETS for text in model.seen)
    text = await summary_of(desk)
    assert text.splitlines()[1].startswith("She is Ana, ana.brandt@example.com, +45 75 12 34 56; my card is 4111 1111")
    assert "[EMAIL_" not in text


async def test_an_earlier_summary_leaves_with_the_same_marks(desk: Desk, model: Model) -> None:
    await desk.service.append("s", [TOLD, *said(8)])
    await desk.work()
    marks = await desk.store.marks(desk.service.key("s"))
    await desk.service.append("s", said(12, 10))
    await desk.work()

    assert sorted(marks.values()) == sorted(SECRETS)
    assert await desk.store.marks(desk.service.key("s")) == marks
    assert not any(secret in text for secret in SECRETS for text in model.seen)
    assert "ana.brandt@example.com" in await summary_of(desk)


async def test_a_rebuild_redacts_too(desk: Desk, model: Model) -> None:
    await desk.service.append("s", [TOLD, *said(8)])
    await desk.work()
    model.seen.clear()

    await request_rebuild(desk.service, "s")
    await desk.work()

    assert model.seen
    assert not any(secret in text for secret in SECRETS for text in model.seen)
    assert "ana.brandt@example.com" in await summary_of(desk)


async def test_an_erased_message_takes_its_marks_with_it(desk: Desk) -> None:
    appended = await desk.service.append("s", [TOLD, *said(8)])
    await desk.work()

    await erase_message(desk.service, "s", appended.ids[0])

    assert await desk.store.marks(desk.service.key("s")) == {}


async def test_an_erasure_while_the_model_is_asked_leaves_no_mark_behind(desk: Desk, model: Model) -> None:
    appended = await desk.service.append("s", [TOLD, *said(8)])
    job_id = await desk.take()
    assert job_id is not None
    job = await desk.store.claim(job_id, "another", 10_000)
    assert job is not None
    read = await desk.store.read_live(desk.service.key("s"))
    assert read is not None

    await erase_message(desk.service, "s", appended.ids[0])

    kept = await desk.store.keep_marks(job.key, job.incarnation, read.head.erased, {"[EMAIL_2AAA]": SECRETS[0]})
    assert not kept
    assert await desk.store.marks(job.key) == {}
