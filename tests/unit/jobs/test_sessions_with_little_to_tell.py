"""Sessions without a word, and sessions too small to fold: their jobs end well all the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.support.sessions import Desk, said
from tests.unit.engine.talk import ScriptedSummarizer, calling, result
from turnfold.errors import SummarizerTransient
from turnfold.jobs.retries import RetryPolicy
from turnfold.sessions.job import Job
from turnfold.sessions.memory_store import MemoryStore
from turnfold.summaries.extractive import ExtractiveSummarizer
from turnfold.summaries.summarizer import Summarizer, SummaryReply, SummaryRequest
from turnfold_workers.summarize import run_job

Said = dict[str, Any]


def user(*parts: Said) -> Said:
    return {"role": "user", "content": list(parts)}


WORDLESS: dict[str, list[Said]] = {
    "images": [user({"type": "image_url", "image_url": {"url": "https://shop.example/a.png"}})],
    "inline images": [user({"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}})],
    "input images": [user({"type": "input_image", "image_url": "https://shop.example/a.png"})],
    "blocks": [user({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}})],
    "recordings": [user({"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}})],
    "files": [user({"type": "file", "file": {"file_id": "file-1"}})],
    "documents": [user({"type": "document", "source": {"type": "url", "url": "https://shop.example/a.pdf"}})],
    "videos": [user({"type": "video_url", "video_url": {"url": "https://shop.example/a.mp4"}})],
    "parts of a new kind": [user({"type": "hologram", "hologram": {"id": "h-1"}})],
    "no parts": [user()],
    "nothing": [{"role": "user", "content": ""}, {"role": "assistant", "content": None}],
    "space": [{"role": "user", "content": " \n\t "}, {"role": "assistant", "content": "\u200b"}],
    "signs": [{"role": "user", "content": "?!"}, {"role": "assistant", "content": "…"}],
    "pictographs": [{"role": "user", "content": "👍"}, {"role": "assistant", "content": "🎉"}],
    "a no": [{"role": "user", "content": "None."}, {"role": "assistant", "content": "ok"}],
    "empty results": [calling("c1", arguments=""), result("c1", "")],
    "refusals": [{"role": "user", "content": "?"}, {"role": "assistant", "content": None, "refusal": "No."}],
    "hidden reasoning": [{"role": "assistant", "content": "", "reasoning_details": [{"type": "reasoning.encrypted"}]}],
}
MODELS: dict[str, Summarizer] = {
    "none": ExtractiveSummarizer(),
    "one that has nothing to say": ScriptedSummarizer("NONE"),
    "one that refuses": ScriptedSummarizer("I'm sorry, I can't help with that."),
}


def policy(**fields: Any) -> Said:
    return {
        "strategy": "summarization",
        "trigger": {"messages_exceed": 6},
        "target": {"not": {"messages_exceed": 3}},
        "minimum_preserved": 2,
        "min_source_tokens": 0,
        **fields,
    }


async def ended(desk: Desk, job: Job) -> Job:
    await desk.work()
    done = await desk.store.read_job(job.id)
    assert done is not None
    return done


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("kind", WORDLESS)
async def test_a_session_without_a_word_ends_no_job_badly(kind: str, model: str) -> None:
    desk = Desk(MemoryStore(), policy(), MODELS[model])
    await desk.service.append("s", WORDLESS[kind] * 400)  # `work` fails where a job ends badly

    await desk.work()
    forced = await ended(desk, await desk.service.compact("s"))

    assert forced.state == "succeeded"
    assert not forced.error


@pytest.mark.parametrize("kind", WORDLESS)
async def test_a_backlog_without_a_word_is_folded_in_parts(kind: str) -> None:
    desk = Desk(MemoryStore(), policy(max_summary_input_tokens=1200), ScriptedSummarizer("NONE"))
    await desk.service.append("s", WORDLESS[kind] * 400)

    assert await desk.work() >= 1


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("count", [*range(1, 9), 12, 20, 40])
async def test_a_fold_that_is_asked_for_of_a_small_session_succeeds(count: int, model: str) -> None:
    desk = Desk(MemoryStore(), policy(trigger="never", target="never", minimum_preserved=0), MODELS[model])
    words = [{"role": "user" if n % 2 else "assistant", "content": f"hello {n}"} for n in range(count)]
    await desk.service.append("s", words)

    job = await ended(desk, await desk.service.compact("s"))

    assert job.state == "succeeded"
    assert job.reason in ("nothing_to_do", "")
    assert bool(job.summary_id) != bool(job.reason)


async def test_a_session_that_is_pinned_whole_has_nothing_to_fold() -> None:
    desk = Desk(MemoryStore(), policy(trigger="never", target="never"))
    await desk.service.append("s", said(6), pin=True)

    job = await ended(desk, await desk.service.compact("s"))

    assert (job.state, job.reason, job.error) == ("succeeded", "nothing_to_do", "")


async def test_a_session_without_a_message_has_nothing_to_fold() -> None:
    desk = Desk(MemoryStore(), policy())
    await desk.service.create("s")

    job = await ended(desk, await desk.service.compact("s"))

    assert (job.state, job.reason, job.error) == ("succeeded", "nothing_to_do", "")


class Signing(ExtractiveSummarizer):
    """While it writes, the service behind the model takes the conversation over."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        await self.desk.service.update("s", service_session_id="resp_1")
        return await super().summarize(request)


async def test_a_conversation_that_a_service_takes_over_meanwhile_is_left_as_it_is() -> None:
    desk = Desk(MemoryStore(), policy())
    desk.workshop = replace(desk.workshop, summarizer=Signing(desk))
    await desk.service.append("s", said(6))

    job = await ended(desk, await desk.service.compact("s"))

    assert (job.state, job.reason, job.summary_id) == ("succeeded", "nothing_to_do", "")
    assert len((await desk.service.context("s")).messages) == 6


class Away(ExtractiveSummarizer):
    """Out of reach at first; meanwhile `then` happens."""

    def __init__(self, desk: Desk, fields: Said) -> None:
        self.desk, self.fields, self.calls = desk, fields, 0

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        self.calls += 1
        if self.calls == 1:
            await self.desk.service.update("s", **self.fields)
            raise SummarizerTransient("down for a moment", retry_after_seconds=0)
        return await super().summarize(request)


@pytest.mark.parametrize("fields", [{}, {"service_session_id": "resp_1"}])
async def test_a_job_that_ended_well_keeps_no_error_of_an_earlier_try(fields: Said) -> None:
    desk = Desk(MemoryStore(), policy())
    desk.workshop = replace(
        desk.workshop, summarizer=Away(desk, fields), retries=RetryPolicy(first_delay_seconds=0.001)
    )  # fmt: skip
    await desk.service.append("s", said(8))
    job_id = await desk.take()
    assert job_id is not None
    while (job := await desk.store.read_job(job_id)) is not None and not job.state.is_final:
        await run_job(desk.workshop, job_id)

    assert job is not None
    assert job.tries == 2
    assert (job.state, job.error) == ("succeeded", "")
