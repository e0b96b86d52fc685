"""`turnfold rebuild`: summaries again from the originals."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from turnfold.errors import BadInput, Conflict

if TYPE_CHECKING:
    from turnfold.service import TurnfoldService
    from turnfold.sessions.job import Job

# A worker that is there takes a job long before.
TAKEN_WITHIN_SECONDS = 10.0
LOOK_EVERY_SECONDS = 0.1


def rebuild(
    session: Annotated[str, typer.Argument(help="The session's id.")],
    *,
    prompt: Annotated[
        str | None, typer.Option(help="Instruction in place of the policy's; @FILE: the text of a file.")
    ] = None,
    model: Annotated[str | None, typer.Option(help="Model in place of the policy's, or of the setting.")] = None,
    here: Annotated[bool, typer.Option("--here", help="Do it in this process, by its settings.")] = False,
    wait: Annotated[float, typer.Option(min=0, help="Seconds to wait for a worker's result.")] = 300.0,
    tenant: Annotated[str, typer.Option(help="Whose session.")] = "default",
    json_output: Annotated[bool, typer.Option("--json", help="Print the job as JSON.")] = False,
) -> None:
    """Has the session's summary made again from the original messages. Until a new one passes, the old one stays.

    Workers do it; if none takes the job, it is done in this process. Exit 1 where no new summary was made.
    """
    from turnfold import jsonio
    from turnfold.allowed_models import allowed_models
    from turnfold.cli.store_access import with_service
    from turnfold.settings import Settings

    text = text_of(prompt)
    allowed_models(Settings()).check("--model", model)
    job = with_service(
        lambda service: Rebuild(service, session, wait).job(text, model, here=here), tenant=tenant
    )  # fmt: skip
    if json_output:
        typer.echo(jsonio.dumps(job.public()).decode())
    else:
        typer.echo(_told(job), err=_is_no(job))
    if _is_no(job):
        raise typer.Exit(1)


@dataclass
class Rebuild:
    """One rebuild, asked for and followed."""

    service: TurnfoldService
    session: str
    wait_seconds: float

    async def job(self, prompt: str | None, model: str | None, *, here: bool) -> Job:
        """The job as it has ended, or as it stands when the time is over."""
        deadline = time.monotonic() + self.wait_seconds
        job = await self._requested(prompt, model, deadline)
        if here:
            return await self._done_here(job)
        job = await self._until(job, min(deadline, time.monotonic() + TAKEN_WITHIN_SECONDS), has_begun)
        if not has_begun(job) and time.monotonic() < deadline:
            if await self._would_lose_a_model():
                sys.stderr.write("turnfold: no worker has taken the job; --here does it without a model\n")
                return job
            sys.stderr.write("turnfold: no worker has taken the job; it is done here\n")
            return await self._done_here(job)
        return await self._until(job, deadline, lambda found: found.state.is_final)

    async def _requested(self, prompt: str | None, model: str | None, deadline: float) -> Job:
        """The job that is recorded; the one that the session waits for comes first."""
        from turnfold.operations.rebuilding import request_rebuild

        while True:
            try:
                return await request_rebuild(self.service, self.session, prompt=prompt, model=model)
            except Conflict:
                if time.monotonic() >= deadline:
                    raise
            await asyncio.sleep(LOOK_EVERY_SECONDS)

    async def _until(self, job: Job, deadline: float, holds: Callable[[Job], bool]) -> Job:
        while not holds(job) and time.monotonic() < deadline:
            await asyncio.sleep(LOOK_EVERY_SECONDS)
            job = await self.service.store.read_job(job.id) or job
        return job

    async def _done_here(self, job: Job) -> Job:
        from turnfold.settings import Settings
        from turnfold_workers.summarize import run_job
        from turnfold_workers.workshop import workshop_of

        workshop = workshop_of(Settings(), self.service.store, self.service.policy)
        further = await run_job(workshop, job.id)
        self.service.moved(job.key, further)
        return await self.service.store.read_job(job.id) or job

    async def _would_lose_a_model(self) -> bool:
        """Whether what is here would put an extract in the place of what a model wrote."""
        from turnfold.settings import Settings

        if Settings().summarizer_name != "extractive":
            return False
        records = await self.service.store.summaries(self.service.key(self.session))
        return any(record["model"] != "extractive" for record in records.values())


def has_begun(job: Job) -> bool:
    """Whether some worker has taken it."""
    return job.tries > 0 or job.state.is_final


def text_of(prompt: str | None) -> str | None:
    """The prompt itself, or the text of the file that it names by an @."""
    if prompt is None or not prompt.startswith("@"):
        return prompt
    try:
        return Path(prompt[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput("--prompt", f"can't read {prompt[1:]}: {error}") from None


def _is_no(job: Job) -> bool:
    return not (job.state == "succeeded" and (job.summary_id or job.reason == "nothing_to_do"))


def _told(job: Job) -> str:
    if job.summary_id:
        return f"{job.summary_id} was made again from the originals, by {job.model}: {job.summary_tokens} tokens."
    if not _is_no(job):
        return "There is no summary to make again."
    why = job.error or job.reason
    return f"No new summary; the old one stays. Job {job.id} is {job.state}{f': {why}' if why else ''}."
