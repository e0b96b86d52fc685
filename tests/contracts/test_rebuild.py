"""A summary made again from its originals: by another prompt or model, the old one kept until the new one passes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.sessions import Desk, said
from turnfold.audit import audit
from turnfold.errors import BadInput, Conflict, NotFound
from turnfold.operations.rebuilding import request_rebuild
from turnfold.operations.recall import originals
from turnfold.operations.unfolding import unfold
from turnfold.sessions.job import Job, JobState
from turnfold.sessions.store import SessionStore
from turnfold.summaries.summarizer import SummaryReply, SummaryRequest
from turnfold_workers.summarize import run_job

OLD = "The crate DK-99812 left Esbjerg with 312 pallets."
NEW = "312 pallets left Esbjerg in the crate DK-99812 for Ana Brandt on 14 March."


class Model:
    """Writes `text`; keeps what it was asked."""

    name = "model"

    def __init__(self, text: str = OLD) -> None:
        self.text = text
        self.asked: list[SummaryRequest] = []

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        self.asked.append(request)
        return SummaryReply(text=self.text, model=request.model or "m", prompt_version="2")


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
async def desk(store: SessionStore, model: Model) -> Desk:
    """A session that was folded twice: its summary tells of an earlier one."""
    desk = Desk(store, summarizer=model)
    await desk.service.append("s", said(9))
    await desk.work()
    await desk.service.append("s", said(12, 10))
    await desk.work()
    model.asked.clear()
    return desk


async def live_summary(desk: Desk) -> dict[str, Any]:
    assert await audit(desk.store, desk.service.key("s"), desk.policy) == []
    read = await desk.store.read_log(desk.service.key("s"), 0, 1)
    assert read is not None
    (made,) = [group for group in read.view.made if group.durable]
    return (await desk.store.summaries(desk.service.key("s")))[made.id]


async def rebuilt(desk: Desk, **wanted: Any) -> Job:
    job = await request_rebuild(desk.service, "s", **wanted)
    await desk.take()
    await run_job(desk.workshop, job.id)
    done = await desk.store.read_job(job.id)
    assert done is not None
    return done


async def test_it_is_made_from_the_originals_not_from_earlier_summaries(desk: Desk, model: Model) -> None:
    before = await live_summary(desk)
    model.text = NEW

    job = await rebuilt(desk)

    after = await live_summary(desk)
    assert (job.state, job.summary_id, job.public()["rebuild"]) == (JobState.SUCCEEDED, after["id"], True)
    assert NEW in after["text"]
    (asked,) = model.asked
    assert asked.earlier == ()
    under = (await originals(desk.service, "s", before["id"], limit=100)).entries
    assert list(asked.messages) == [entry.message for entry in under]
    assert len(under) > 9
    assert (await originals(desk.service, "s", after["id"])).positions == [entry.position for entry in under]


async def test_another_prompt_and_another_model_are_used_and_told(desk: Desk, model: Model) -> None:
    await rebuilt(desk, prompt="Tell of the crates alone.", model="large")

    (asked,) = model.asked
    assert (asked.prompt, asked.model) == ("Tell of the crates alone.", "large")
    assert (await live_summary(desk))["model"] == "large"


@pytest.mark.parametrize("text", ["", "NONE", "I'm sorry, but I can't help with that.", "Invoice 77-12345 is unpaid."])
async def test_the_old_one_stays_if_no_reply_passes(desk: Desk, model: Model, text: str) -> None:
    before = await live_summary(desk)
    head = await desk.service.session("s")
    model.text = text

    job = await rebuilt(desk)

    assert (job.state, job.summary_id) == (JobState.DEAD, "")
    assert await live_summary(desk) == before
    after = await desk.service.session("s")
    assert (after.pending_job, after.plan_at_tokens) == ("", head.plan_at_tokens)


async def test_the_old_one_shows_while_the_new_one_is_made_and_its_record_is_kept(desk: Desk, model: Model) -> None:
    before = await live_summary(desk)
    await request_rebuild(desk.service, "s")
    assert await live_summary(desk) == before

    model.text = NEW
    await desk.work()

    records = await desk.store.summaries(desk.service.key("s"))
    assert records[before["id"]] == before
    assert (await live_summary(desk))["summary_of"] == [before["id"]]


async def test_what_was_said_meanwhile_does_no_harm(desk: Desk, model: Model) -> None:
    job = await request_rebuild(desk.service, "s")
    await desk.service.append("s", said(1, 22))
    model.text = NEW
    await run_job(desk.workshop, job.id)

    assert NEW in (await live_summary(desk))["text"]
    turn = await desk.service.context("s")
    assert turn.messages[-1]["content"].startswith("Message 22.")


async def test_it_does_not_grow_from_rebuild_to_rebuild(desk: Desk, model: Model) -> None:
    wanted: set[int] = set()
    for number in range(5):
        model.text = f"{NEW} {OLD}" if number % 2 else NEW
        await rebuilt(desk)
        wanted.add(model.asked[-1].max_tokens)

    assert len(wanted) == 1
    records = await desk.store.summaries(desk.service.key("s"))
    assert max(record["tokens"] for record in records.values()) < 400


async def test_what_is_pinned_is_in_the_new_one(desk: Desk, model: Model) -> None:
    first = (await desk.service.messages("s", limit=1)).entries[1]
    await desk.service.pin("s", first.id)
    while await desk.work():
        pass
    model.text = NEW

    await rebuilt(desk)

    text = (await live_summary(desk))["text"]
    assert NEW in text
    assert str(first.message["content"]).strip() in text


async def test_what_was_unfolded_is_folded_again(desk: Desk, model: Model) -> None:
    summary = (await live_summary(desk))["id"]
    await unfold(desk.service, "s", summary)
    while await desk.work():
        pass
    model.asked.clear()

    job = await rebuilt(desk)

    assert (job.state, job.reason) == (JobState.SUCCEEDED, "")
    assert model.asked[0].earlier == ()
    assert len((await originals(desk.service, "s", (await live_summary(desk))["id"], limit=100)).positions) > 9


async def test_a_session_without_a_summary_has_nothing_to_rebuild(desk: Desk) -> None:
    await desk.service.append("t", said(2))

    job = await request_rebuild(desk.service, "t")
    await desk.work()

    done = await desk.store.read_job(job.id)
    assert done is not None
    assert (done.state, done.reason) == (JobState.SUCCEEDED, "nothing_to_do")


async def test_one_job_at_a_time(desk: Desk) -> None:
    first = await request_rebuild(desk.service, "s", model="large")

    assert (await request_rebuild(desk.service, "s", model="large")).id == first.id
    with pytest.raises(Conflict, match=first.id):
        await request_rebuild(desk.service, "s", model="small")
    await desk.work()
    compaction = await desk.service.compact("s")
    with pytest.raises(Conflict, match=compaction.id):
        await request_rebuild(desk.service, "s")


async def test_wrong_words_are_named(desk: Desk) -> None:
    with pytest.raises(NotFound):
        await request_rebuild(desk.service, "nobody")
    wrongs: list[dict[str, Any]] = [{"prompt": " "}, {"prompt": "x" * 20_001}, {"model": ""}, {"model": "x" * 201}]
    for wrong in wrongs:
        with pytest.raises(BadInput, match=next(iter(wrong))):
            await request_rebuild(desk.service, "s", **wrong)
