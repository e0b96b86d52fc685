"""Plays a conversation turn by turn, as a chat backend would, and tells what happened.

The assistant's words and the tools' results are those of the conversation: no model is called for them. Everything else
is the real system: the HTTP API, the store, the queue, a worker.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from turnfold.demo.api_client import ApiClient
from turnfold.messages import Message
from turnfold.sessions.job import JobState

# Between two turns somebody reads and types; a summary that takes longer is simply used a turn later.
THINKING_SECONDS = 2.0
LOOK_SECONDS = 0.02


@dataclass(slots=True)
class Summary:
    """A summary's way: the turns in which it was queued, committed and first used."""

    job: str
    queued_in: int
    committed_in: int | None = None
    used_in: int | None = None
    work_seconds: float = 0.0
    record: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class TurnPlayed:
    """One turn: tokens of the whole history, and of what the model was given instead; what happened to summaries."""

    number: int
    without_tokens: int
    with_tokens: int
    slowest_seconds: float
    events: tuple[str, ...]


def turns_of(messages: Sequence[Message]) -> list[list[Message]]:
    """The messages in turns: each begins with what the user says; what stands before the first is in the first."""
    turns: list[list[Message]] = []
    seen_user = False
    for message in messages:
        is_user = message.role == "user"
        if not turns or (is_user and seen_user):
            turns.append([])
        seen_user = seen_user or is_user
        turns[-1].append(message)
    return turns


class Player:
    """Plays a conversation into a session."""

    def __init__(self, client: ApiClient, session: str) -> None:
        self._client, self._session = client, session
        self._said: set[str] = set()
        self._turns = 0
        self.summaries: list[Summary] = []

    def play(self, messages: Sequence[Message]) -> Iterator[TurnPlayed]:
        """Each turn, as soon as it is over."""
        for number, turn in enumerate(turns_of(messages), 1):
            self._turns = number
            yield self._turn(number, turn)

    def finish(self) -> None:
        """Waits for the last job, and reads where each summary came from."""
        self._think(self._turns, [])
        groups = {group["id"]: group for group in self._client.groups(self._session)}
        for summary in self.summaries:
            summary.record = groups.get(f"summary-{summary.job}", {})

    def _turn(self, number: int, turn: list[Message]) -> TurnPlayed:
        began = len(self._client.requests)
        events: list[str] = []
        context: dict[str, Any] = {}
        appended: dict[str, Any] = {}
        for said in _by_model_call(turn):
            appended = self._client.append(self._session, said)
            self._note_job(appended["job"], number, events)
            context = self._client.context(self._session)
            self._note_use(context, number, events)
        slowest = max(request.seconds for request in self._client.requests[began:])
        self._think(number, events)
        return TurnPlayed(
            number, appended["counts"]["all"]["tokens"], context["counts"]["tokens"], slowest, tuple(events)
        )  # fmt: skip

    def _note_job(self, job: dict[str, Any] | None, number: int, events: list[str]) -> None:
        if job is not None and all(summary.job != job["id"] for summary in self.summaries):
            self.summaries.append(Summary(job["id"], number))
            events.append("summary queued")

    def _note_use(self, context: dict[str, Any], number: int, events: list[str]) -> None:
        """A summary that is shown for the first time is that of the oldest job that none was seen of."""
        shown = {str(m.get("content")) for m in context["messages"] if str(m.get("content")).startswith("[Summary]")}
        waiting = [summary for summary in self.summaries if summary.used_in is None]
        if shown - self._said and waiting:
            self._said |= shown
            self._land(waiting[0], number, events)
            waiting[0].used_in = number
            events.append("summary used")

    def _land(self, summary: Summary, number: int, events: list[str]) -> bool:
        """Whether the summary's job has ended; notes when it landed."""
        job = self._client.job(summary.job)
        state = JobState(job["state"])
        if summary.committed_in is None and state is JobState.SUCCEEDED and job["summary_id"]:
            summary.committed_in, summary.work_seconds = number, _seconds(job["timings"])
            events.append("summary committed")
        return state.is_final

    def _think(self, number: int, events: list[str]) -> None:
        """The user reads and types; meanwhile, the screen wants to know when a summary landed."""
        deadline = time.monotonic() + THINKING_SECONDS
        for summary in [one for one in self.summaries if one.committed_in is None]:
            while not self._land(summary, number, events) and time.monotonic() < deadline:
                time.sleep(LOOK_SECONDS)


def _by_model_call(turn: list[Message]) -> Iterator[list[Message]]:
    """What a backend appends before each of its calls of the model: the user's words, then results of tools, …"""
    said: list[Message] = []
    for i, message in enumerate(turn):
        said.append(message)
        following = turn[i + 1].role if i + 1 < len(turn) else None
        if message.role in ("user", "tool") and following not in ("user", "tool"):
            yield said
            said = []
    if said:
        yield said


def _seconds(timings: dict[str, Any]) -> float:
    finished, started = timings.get("finished_at_ms"), timings.get("started_at_ms")
    return (finished - started) / 1000 if finished and started else 0.0
