"""The shapes of answers, for the OpenAPI document.

Answers are not checked against them while serving; tests do that.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from turnfold.provenance import Verdict
from turnfold.sessions.job import JobState


class Shape(BaseModel):
    """An object of exactly these fields."""

    model_config = ConfigDict(extra="forbid")


class FieldProblem(Shape):
    """What is wrong with one field."""

    path: str = Field(description="Such as `messages[0].role`.")
    message: str


class Problem(Shape):
    """An error (RFC 9457)."""

    type: str = Field(description="`urn:turnfold:problem:SLUG`; what to tell errors apart by.")
    title: str
    status: int
    detail: str
    errors: list[FieldProblem]


class Counts(Shape):
    """Totals over messages."""

    messages: int
    groups: int
    turns: int
    tokens: int
    bytes: int


class SessionCounts(Shape):
    """Of what the model gets, and of the whole log."""

    included: Counts
    all: Counts


class Session(Shape):
    """A conversation, apart from its messages."""

    id: str
    created_at: datetime
    last_active_at: datetime
    expires_at: datetime
    revision: int = Field(description="Moved by appends and changes of settings; the ETag.")
    view_revision: int = Field(description="Moved by compaction.")
    counts: SessionCounts
    policy: dict[str, Any] | None = Field(description="The session's own; null: the service's default.")
    metadata: dict[str, Any]
    service_session_id: str | None
    pending_job: str | None


class SessionList(Shape):
    """Sessions by last activity, newest first."""

    sessions: list[Session]
    next: str | None


class PendingJob(Shape):
    """The job that is recorded for a session."""

    id: str
    state: JobState


class Appended(Shape):
    """What an append did."""

    first: int
    last: int
    ids: list[str]
    revision: int
    counts: SessionCounts
    job: PendingJob | None


class MessageList(Shape):
    """A part of the original log."""

    messages: list[dict[str, Any]] = Field(description="As they were appended.")
    ids: list[str]
    positions: list[int] = Field(description="From 1; gaps where messages were erased.")
    next: int | None = Field(description="What to give as `after` for what follows.")


class Hit(Shape):
    """An original message that matches."""

    position: int
    id: str
    group: str
    folded: bool = Field(description="Whether a summary stands for it in what the model gets.")
    snippet: str = Field(description="The passage that matches best.")
    score: float
    message: dict[str, Any] = Field(description="As it was appended.")


class SearchResults(Shape):
    """Messages that match, best first."""

    results: list[Hit]


class Action(Shape):
    """What one strategy did."""

    strategy: str
    triggered: bool
    changed: bool
    before_tokens: int
    after_tokens: int
    reason: str | None


SYSTEM = Field(default=None, description="In format `anthropic`: what goes into `system`; null: nothing.")


class Context(Shape):
    """The messages of the model's next call."""

    messages: list[dict[str, Any]] = Field(description="In the format that was asked for.")
    system: str | list[dict[str, Any]] | None = SYSTEM
    counts: Counts
    revision: int
    view_revision: int
    pending_job: str | None
    over_budget: bool
    pending_tool_call_ids: list[str]
    actions: list[Action]


class Group(Shape):
    """Messages that are kept or dropped together, and what became of them."""

    id: str
    kind: str
    turn: int | None
    messages: list[int] = Field(description="Positions; empty for a group that a strategy made.")
    message_count: int
    bytes: int
    tokens: int
    included: bool
    reason: str | None
    summary_of: list[str]
    summarized_by: str | None


class Provenance(Shape):
    """Who made a summary, of what; and whether that is so."""

    model: str = Field(description="A model's name, or `extractive`.")
    prompt_version: str | None
    sources_digest: str | None = Field(
        description="SHA-256 of the messages and earlier summaries that it was made from."
    )
    signature: Verdict = Field(description="`signed` by a key that is set; `unchecked` where no key is.")


class Summary(Shape):
    """A summary, where it came from, and what it stands for."""

    id: str
    text: str
    tokens: int
    provenance: Provenance
    degraded: bool = Field(description="Made by the fallback, because no reply of a model was good enough.")
    created_at: datetime
    summary_of: list[str] = Field(description="Ids of the groups that it was made from.")
    chain: list[str] = Field(description="Ids of it and of all earlier summaries under it.")
    positions: list[int] = Field(description="Of all messages under it.")
    messages: list[dict[str, Any]] = Field(description="Some of these messages, as they were appended.")
    ids: list[str]
    next: int | None = Field(description="What to give as `after` for what follows.")


class GroupList(Shape):
    """Groups in the order of the log."""

    groups: list[Group]
    next: str | None


class Job(Shape):
    """A summarization job."""

    model_config = ConfigDict(extra="allow")

    id: str
    session: str
    state: JobState
    reason: str | None
    error: str | None
    tries: int


class JobList(Shape):
    """Jobs, newest first."""

    jobs: list[Job]
    next: str | None


class Sweep(Shape):
    """What a sweep found, and about what all that is due costs."""

    due: int
    enqueued: int
    estimated_tokens: int = Field(description="That the summary model will read and write.")
    estimated_cost: float = Field(description="At the prices that are set.")


class Spent(Shape):
    """What summaries cost."""

    summaries: int = Field(description="That were committed.")
    prompt_tokens: int
    completion_tokens: int
    tokens: int = Field(description="Both.")
    cost: float = Field(description="At the prices that were set when each was made.")


class Saved(Shape):
    """What was not sent in the contexts that were served."""

    contexts: int
    tokens: int = Field(description="That summaries stood for.")
    cost: float = Field(description="At the price that is set now.")
    hidden_tokens: int = Field(description="That inline steps of the policy hid, which cost nothing.")


class Usage(Shape):
    """A tenant's ledger."""

    tenant: str
    spent: Spent
    saved: Saved


class Report(Shape):
    """What a transient compaction did; positions count from the first message given, 0."""

    messages: list[dict[str, Any]] = Field(description="In the format that they came in.")
    system: str | list[dict[str, Any]] | None = SYSTEM
    groups: list[Group]
    before: Counts
    after: Counts
    actions: list[Action]


class Health(Shape):
    """That a process lives."""

    status: str


class Readiness(Shape):
    """That a server can serve, and what its operators should mend all the same."""

    status: str
    problems: list[str]
