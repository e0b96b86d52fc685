"""What the demo shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from turnfold.demo.api_client import Request
from turnfold.demo.play import Summary, TurnPlayed


def show_turns(console: Console, turns: Iterable[TurnPlayed], total: int) -> list[TurnPlayed]:
    """A bar over all turns, and a line each: tokens without and with turnfold, and what happened to summaries."""
    played: list[TurnPlayed] = []
    bar = Progress(
        TextColumn("playing"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("turns"),
        TimeElapsedColumn(),
        console=console,
    )
    with bar:
        task = bar.add_task("turns", total=total)
        for turn in turns:
            played.append(turn)
            bar.console.print(_line(turn), highlight=False)
            bar.advance(task)
    return played


def show_result(
    console: Console, turns: Sequence[TurnPlayed], summaries: Sequence[Summary], requests: Sequence[Request]
) -> None:
    """The tables at the end."""
    console.print(_tokens(turns), _summaries(summaries), _requests(requests, summaries))
    served = [request.seconds for request in requests if request.what in ("append", "context")]
    work = [summary.work_seconds for summary in summaries if summary.committed_in is not None]
    if served and work:
        console.print(
            f"No request waited for a summarizer: the slowest took {max(served) * 1000:.0f} ms, while summaries were "
            f"made by the worker, {max(work) * 1000:.0f} ms the longest, between two turns.",
            highlight=False,
        )


def _line(turn: TurnPlayed) -> str:
    happened = "   ".join(f"[bold]{event}[/]" for event in turn.events)
    return f"turn {turn.number:>3}   {turn.without_tokens:>7,} tokens without, {turn.with_tokens:>6,} with   {happened}"


def _tokens(turns: Sequence[TurnPlayed]) -> Table:
    table = Table("tokens sent to the model", "without turnfold", "with turnfold", "saved", title="Before and after")
    rows = {
        "in the last turn": (turns[-1].without_tokens, turns[-1].with_tokens),
        "in all turns": (sum(t.without_tokens for t in turns), sum(t.with_tokens for t in turns)),
    }
    for name, (without, used) in rows.items():
        table.add_row(name, f"{without:,}", f"{used:,}", f"{1 - used / without:.0%}" if without else "")
    return table


def _summaries(summaries: Sequence[Summary]) -> Table:
    table = Table("summary", "made of", "tokens", "queued", "committed", "first used", "work", title="Summaries")
    for summary in summaries:
        record = summary.record
        sources = record.get("summary_of", [])
        table.add_row(
            record.get("id", f"job {summary.job}"),
            f"{len(sources)} groups: {sources[0]} … {sources[-1]}" if sources else "nothing to fold",
            str(record.get("tokens", "")),
            f"turn {summary.queued_in}",
            f"turn {summary.committed_in}" if summary.committed_in else "",
            f"turn {summary.used_in}" if summary.used_in else "",
            f"{summary.work_seconds * 1000:.0f} ms",
        )
    return table


def _requests(requests: Sequence[Request], summaries: Sequence[Summary]) -> Table:
    table = Table("request", "times", "median", "slowest", title=f"Time of requests ({len(summaries)} summaries)")
    for what in ("append", "context"):
        seconds = [request.seconds * 1000 for request in requests if request.what == what]
        if seconds:
            table.add_row(what, str(len(seconds)), f"{median(seconds):.1f} ms", f"{max(seconds):.1f} ms")
    return table
