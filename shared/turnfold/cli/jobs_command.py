"""`turnfold jobs`: the queue as an operator needs it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from turnfold.errors import BadInput

if TYPE_CHECKING:
    from turnfold.service import TurnfoldService
    from turnfold.sessions.job import Job, JobState

app = typer.Typer(help="Lists jobs; tries dead ones again; cancels.", no_args_is_help=True)

Tenant = Annotated[str, typer.Option(help="Whose jobs.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
JobId = Annotated[str, typer.Argument(help="The job's id.")]
JobIds = Annotated[list[str], typer.Argument(help="Ids of jobs.")]


@app.command("list")
def list_(
    *,
    state: Annotated[
        str | None,
        typer.Option(help="Only of this state: queued, running, retrying, succeeded, superseded, dead, cancelled."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many, the newest.")] = 50,
    tenant: Tenant = "default",
    json_output: AsJson = False,
) -> None:
    """Shows jobs, newest first: state, age, tries, error."""
    wanted = _state(state)

    async def work(service: TurnfoldService) -> tuple[list[Job], int]:
        return await _newest(service, wanted, limit), await service.store.now_ms()

    _tell_all(work, tenant, json_output=json_output)


@app.command()
def show(job: JobId, *, tenant: Tenant = "default", json_output: AsJson = False) -> None:
    """Shows all that is known of a job."""
    from turnfold.operations.job_control import find_job

    _tell_one(lambda service: find_job(service, job), tenant, json_output=json_output)


@app.command()
def retry(jobs: JobIds, *, tenant: Tenant = "default", json_output: AsJson = False) -> None:
    """Queues dead jobs anew, with all their tries; those that wait for their next try are tried now."""
    from turnfold.operations.job_control import retry_job

    _tell_each(jobs, retry_job, tenant, json_output=json_output)


@app.command()
def cancel(jobs: JobIds, *, tenant: Tenant = "default", json_output: AsJson = False) -> None:
    """Ends jobs for good; what a worker makes of them is not taken."""
    from turnfold.operations.job_control import cancel_job

    _tell_each(jobs, cancel_job, tenant, json_output=json_output)


def _state(name: str | None) -> JobState | None:
    from turnfold.sessions.job import JobState

    try:
        return JobState(name) if name else None
    except ValueError:
        raise BadInput("--state", f"{name!r} is none; one of {', '.join(JobState)}") from None


async def _newest(service: TurnfoldService, state: JobState | None, limit: int) -> list[Job]:
    from turnfold.operations.job_control import list_jobs

    jobs, behind = await list_jobs(service, state, None, limit)
    while behind is not None and len(jobs) < limit:
        more, behind = await list_jobs(service, state, behind, limit - len(jobs))
        jobs += more
    return jobs


def _tell_each(
    job_ids: Sequence[str],
    change: Callable[[TurnfoldService, str], Awaitable[Job]],
    tenant: str,
    *,
    json_output: bool,
) -> None:
    """Changes one job after the other; the first that can't be changed ends it."""

    async def work(service: TurnfoldService) -> tuple[list[Job], int]:
        return [await change(service, job_id) for job_id in job_ids], await service.store.now_ms()

    _tell_all(work, tenant, json_output=json_output)


def _tell_all(
    work: Callable[[TurnfoldService], Awaitable[tuple[list[Job], int]]], tenant: str, *, json_output: bool
) -> None:
    from turnfold import jsonio
    from turnfold.cli.store_access import with_service

    jobs, now_ms = with_service(work, tenant=tenant)
    if json_output:
        typer.echo(jsonio.dumps({"jobs": [_with_age(job, now_ms) for job in jobs]}).decode())
    else:
        _show_table(jobs, now_ms)


def _tell_one(find: Callable[[TurnfoldService], Awaitable[Job]], tenant: str, *, json_output: bool) -> None:
    from turnfold import jsonio
    from turnfold.cli.store_access import with_service

    async def work(service: TurnfoldService) -> tuple[Job, int]:
        return await find(service), await service.store.now_ms()

    job, now_ms = with_service(work, tenant=tenant)
    told = _with_age(job, now_ms)
    if json_output:
        typer.echo(jsonio.dumps(told).decode())
        return
    for name, value in told.items():
        typer.echo(f"{name:>11}: {_in_words(value)}")


def _with_age(job: Job, now_ms: int) -> dict[str, Any]:
    return job.public() | {"age_seconds": _age_seconds(job, now_ms)}


def _age_seconds(job: Job, now_ms: int) -> float:
    return max(0, now_ms - job.created_at_ms) / 1000


def _in_words(value: Any) -> str:
    from turnfold.jsonio import is_object

    if is_object(value):
        return ", ".join(f"{name} {part}" for name, part in value.items())
    return "–" if value is None else str(value)


def _show_table(jobs: Sequence[Job], now_ms: int) -> None:
    from rich.markup import escape
    from rich.table import Table

    from turnfold.cli.durations import short_duration
    from turnfold.cli.screen import open_screen

    console = open_screen()
    table = Table("job", "session", "state", "age", "tries", "error")
    for job in jobs:
        why = job.error or job.reason
        age = short_duration(_age_seconds(job, now_ms))
        table.add_row(job.id, escape(job.session), str(job.state), age, str(job.tries), escape(why))
    console.print(table)
    console.print(f"{len(jobs)} jobs")
