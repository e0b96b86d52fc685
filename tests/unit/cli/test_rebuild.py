"""`turnfold rebuild` where workers are, and where none is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.sessions import Desk, said
from turnfold.cli import rebuild_command
from turnfold.cli.rebuild_command import Rebuild
from turnfold.errors import Conflict
from turnfold.sessions.job import JobState
from turnfold.sessions.memory_store import MemoryStore
from turnfold.summaries.summarizer import SummaryReply, SummaryRequest


class Model:
    name = "model"

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        return SummaryReply(text="The crate DK-99812 left Esbjerg with 312 pallets.", model="m", prompt_version="2")


@pytest.fixture(autouse=True)
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rebuild_command, "TAKEN_WITHIN_SECONDS", 0.0)


async def folded(desk: Desk) -> Rebuild:
    await desk.service.append("s", said(9))
    await desk.work()
    return Rebuild(desk.service, "s", 30.0)


async def test_where_no_worker_takes_the_job_it_is_done_here(capsys: pytest.CaptureFixture[str]) -> None:
    rebuild = await folded(Desk(MemoryStore()))

    job = await rebuild.job(None, None, here=False)

    assert (job.state, job.model) == (JobState.SUCCEEDED, "extractive")
    assert "it is done here" in capsys.readouterr().err


async def test_but_an_extract_does_not_take_the_place_of_what_a_model_wrote_unless_that_is_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rebuild = await folded(Desk(MemoryStore(), summarizer=Model()))

    waiting = await rebuild.job(None, None, here=False)
    assert waiting.state is JobState.QUEUED
    assert "--here" in capsys.readouterr().err

    done = await rebuild.job(None, None, here=True)
    assert (done.id, done.state, done.model) == (waiting.id, JobState.SUCCEEDED, "extractive")


async def test_a_job_that_the_session_waits_for_comes_first() -> None:
    desk = Desk(MemoryStore())
    await folded(desk)
    await desk.service.compact("s")

    with pytest.raises(Conflict):
        await Rebuild(desk.service, "s", 0.0).job(None, None, here=False)


def test_a_prompt_can_be_a_files_text(tmp_path: Path) -> None:
    file = tmp_path / "prompt"
    file.write_text("Tell of the crates alone.")

    assert rebuild_command.text_of(f"@{file}") == "Tell of the crates alone."
    assert rebuild_command.text_of("Tell.") == "Tell."
    assert rebuild_command.text_of(None) is None
