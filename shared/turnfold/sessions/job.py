"""A summarization job: the record that decides what runs. A queue's message about it is only a wake-up.

queued ──claim──▶ running ──commit──▶ succeeded
  ▲                 │ │ └──late──────▶ superseded
  │   retry         │ └──no more tries──▶ dead
  └── retrying ◀────┘ transient failure, lost lease
cancelled: the session was erased, or an operator said so
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any

from turnfold.sessions.session_key import SessionKey


class JobState(StrEnum):
    """Where a job stands; the last four are final, though an operator may retry a dead one."""

    QUEUED = "queued"
    RUNNING = "running"
    RETRYING = "retrying"
    SUCCEEDED = "succeeded"
    SUPERSEDED = "superseded"
    DEAD = "dead"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        return self not in (JobState.QUEUED, JobState.RUNNING, JobState.RETRYING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One job. Times are milliseconds since the epoch by the store's clock, 0: not yet.

    Attributes:
        step: which summarization step of the session's policy fired, counted from 0.
        forced: asked for by a caller: the trigger and a default target are ignored.
        until: what stands up to this position is folded, whatever the trigger says: a summary of it was withdrawn.
        rebuild: the session's summary is made again, from the originals.
        with_prompt, with_model: for that, in place of the policy's; empty: those.
        turn: number of the newest turn when it was recorded.
        late: its summary landed after the user had spoken again.
        live: somebody is about to speak; False: found by a sweep.
        tries: claims of it that counted.
        failures: how many of these were told to have failed; the others but for the last were lost with their worker.
        fence: the number of the claim that is running it.
        look_at_ms: when somebody should look at it: resend it, or take it over.
    """

    id: str
    tenant: str
    session: str
    incarnation: str
    step: int = 0
    forced: bool = False
    until: int = 0
    rebuild: bool = False
    with_prompt: str = ""
    with_model: str = ""
    turn: int = 0
    late: bool = False
    live: bool = True
    state: JobState = JobState.QUEUED
    fence: int = 0
    tries: int = 0
    failures: int = 0
    worker: str = ""
    error: str = ""
    reason: str = ""
    created_at_ms: int = 0
    started_at_ms: int = 0
    finished_at_ms: int = 0
    look_at_ms: int = 0
    summary_id: str = ""
    model: str = ""
    source_tokens: int = 0
    summary_tokens: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0

    @property
    def key(self) -> SessionKey:
        return SessionKey(self.tenant, self.session)

    def to_hash(self) -> dict[str, str]:
        return {f.name: _text(getattr(self, f.name)) for f in fields(self)}

    @classmethod
    def from_hash(cls, values: Mapping[str, str]) -> Job:
        return cls(**{f.name: _value(f.type, values[f.name]) for f in fields(cls) if f.name in values})

    def log_context(self) -> dict[str, Any]:
        """What a log line says of it: ids and numbers, no content."""
        return {"job": self.id, "tenant": self.tenant, "session": self.session, "state": str(self.state)}

    def public(self) -> dict[str, Any]:
        """The job as the API shows it."""
        times = {name: getattr(self, name) or None for name in ("created_at_ms", "started_at_ms", "finished_at_ms")}
        return {
            "id": self.id,
            "session": self.session,
            "state": str(self.state),
            "reason": self.reason or None,
            "error": self.error or None,
            "tries": self.tries,
            "forced": self.forced,
            "rebuild": self.rebuild,
            "queue": "live" if self.live else "sweep",
            "summary_id": self.summary_id or None,
            "model": self.model or None,
            "tokens": {
                "source": self.source_tokens,
                "summary": self.summary_tokens,
                "prompt": self.prompt_tokens,
                "completion": self.completion_tokens,
            },
            "cost": self.cost,
            "timings": times,
        }


def new_job(
    key: SessionKey,
    incarnation: str,
    *,
    step: int = 0,
    forced: bool = False,
    until: int = 0,
    turn: int = 0,
    live: bool = True,
) -> Job:
    """A job not yet recorded; its id names the shard of its session."""
    job_id = f"{key.shard:03d}-{secrets.token_hex(10)}"
    return Job(
        id=job_id,
        tenant=key.tenant,
        session=key.id,
        incarnation=incarnation,
        step=step,
        forced=forced,
        until=until,
        turn=turn,
        live=live,
    )


def _text(value: Any) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def _value(kind: Any, text: str) -> Any:
    if kind == "str":
        return text
    if kind == "JobState":
        return JobState(text)
    if kind == "float":
        return float(text)
    return text == "1" if kind == "bool" else int(text)
