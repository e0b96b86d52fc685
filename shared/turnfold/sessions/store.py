"""What a session store does. `MemoryStore` and `RedisStore` obey the same contract tests.

Each write is atomic, and made on a version of the session's head that the caller has seen: a write that comes second
changes nothing and is told so by `Stale`, with the head as it is now, to be worked out again. So what is counted is
always exact, and no lock is held while anything is computed.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from turnfold.sessions.api_keys import ApiKeyStore
from turnfold.sessions.entry import Entry, NewEntry
from turnfold.sessions.fleet import FleetStore
from turnfold.sessions.head import Head
from turnfold.sessions.job import Job, JobState
from turnfold.sessions.ledger import NOTHING_SPENT, LedgerStore, Spent
from turnfold.sessions.made import MadeStore
from turnfold.sessions.provider import ProviderStore
from turnfold.sessions.session_key import SessionKey
from turnfold.sessions.store_health import StoreHealth
from turnfold.sessions.view import View
from turnfold.sessions.waiting import WaitingStore


@dataclass(frozen=True, slots=True)
class Stale:
    """The head has moved on; nothing was written. `head` is the present one, None where there is no session."""

    head: Head | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendWrite:
    """Messages to append, and the head as it shall be then.

    Attributes:
        expected_version: of the head that `head` was worked out from; None: there was no session.
        job: recorded together with the messages.
        idempotency_key, digest: of the request; empty: none.
        rest: what the answer says beside ids and positions; stored with the key.
    """

    head: Head
    expected_version: int | None
    entries: Sequence[NewEntry]
    job: Job | None = None
    idempotency_key: str = ""
    digest: str = ""
    rest: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Appended:
    """What an append did; `repeated` says that an earlier request with the same key did it."""

    first: int
    last: int
    ids: tuple[str, ...]
    revision: int
    rest: Mapping[str, Any]
    repeated: bool = False
    head: Head | None = None


@dataclass(frozen=True, slots=True)
class OtherBody:
    """The Idempotency-Key was used for another body."""


@dataclass(frozen=True, slots=True)
class Read:
    """A consistent picture of a session: head, view, and the messages that were asked for, by position."""

    head: Head
    view: View
    entries: Mapping[int, Entry]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitWrite:
    """A summary to land: the head and the view as they shall be then.

    `fence` is the claim's; with another one in the head, or another pending job, the commit is refused for good.
    """

    job: Job
    fence: int
    expected_version: int
    head: Head
    view: View
    summary: Mapping[str, Any]
    next_job: Job | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RewriteWrite:
    """Something that is taken back: messages erased, summaries withdrawn; head and view as they shall be then.

    Attributes:
        lines: by position, lines that take the place of those that are there; empty ones of erased messages.
        message_ids: of the erased messages.
        summaries: ids of those withdrawn; their records go.
        pending_job: id of the job that was pending, and ends for `reason`; empty: none.
        next_job: recorded in its place.
    """

    head: Head
    expected_version: int
    view: View
    lines: Mapping[int, bytes] = field(default_factory=dict[int, bytes])
    message_ids: Sequence[str] = ()
    summaries: Sequence[str] = ()
    pending_job: str = ""
    reason: str
    next_job: Job | None = None

    @property
    def erased(self) -> list[int]:
        """Positions of the erased messages."""
        return [position for position, line in self.lines.items() if not line]


class SessionStore(MadeStore, WaitingStore, LedgerStore, ApiKeyStore, ProviderStore, FleetStore, Protocol):
    """Sessions, their jobs, and the order in which jobs are due."""

    async def read_head(self, key: SessionKey) -> Head | None: ...

    async def append(self, key: SessionKey, write: AppendWrite) -> Appended | Stale | OtherBody:
        """Messages, counts, revision, and a job if one was planned: all of it or nothing."""
        ...

    async def read_turn(self, key: SessionKey, *, served: bool = False) -> Read | None:
        """What the next call of the model is made from: one round trip, and no message that is not needed.

        `served`: it is a context for a model, and what it saves is booked.
        """
        ...

    async def read_live(self, key: SessionKey) -> Read | None:
        """What no summary covers: for a worker."""
        ...

    async def read_log(self, key: SessionKey, after: int, limit: int) -> Read | None:
        """Messages behind position `after`, as appended; at most `limit`."""
        ...

    async def write_view(self, key: SessionKey, expected_version: int, head: Head, view: View) -> bool:
        """Stores what inline steps hid; False: somebody was faster, nothing was written."""
        ...

    async def write_head(self, key: SessionKey, expected_version: int | None, head: Head) -> Head | Stale:
        """Creates a session, or changes its settings."""
        ...

    async def request_job(self, key: SessionKey, expected_version: int, head: Head, job: Job) -> Job | Stale:
        """Records a job; the pending one, where there is one."""
        ...

    async def rewrite(self, key: SessionKey, write: RewriteWrite) -> Head | Stale:
        """Takes something back, all of it or nothing; it does not count as activity.

        The pending job is superseded, whoever is at work on it, and the fence is raised. No reply is kept for the
        session any more, and no answer under an Idempotency-Key that tells of an erased message.
        """
        ...

    async def delete(self, key: SessionKey) -> bool:
        """Erases the session and all that came of it; whether there was one.

        In steps that are short for the store: one that breaks off leaves a session that can be erased again.
        """
        ...

    async def list_sessions(self, tenant: str, before: tuple[int, str] | None, limit: int) -> list[tuple[int, str]]:
        """Last activity and id, newest first, from behind `before` on; none that is gone. Empty: there are no more."""
        ...

    async def summaries(self, key: SessionKey) -> dict[str, dict[str, Any]]:
        """Every summary's record by id, those that were folded again among them."""
        ...

    async def read_job(self, job_id: str) -> Job | None: ...

    async def list_jobs(self, tenant: str, before: tuple[int, str] | None, limit: int) -> list[Job]:
        """Jobs, newest first, from behind `before` (creation and id) on. Empty: there are no more."""
        ...

    async def claim(self, job_id: str, worker: str, lease_ms: int) -> Job | None:
        """The job, with a new fence, if it may run now; None: it may not, or somebody else has it."""
        ...

    async def renew(self, job: Job, lease_ms: int) -> bool:
        """Holds the job for another lease; False: it was taken over."""
        ...

    async def release(self, job: Job, *, delay_ms: int, error: str, is_try: bool = True) -> bool:
        """Gives the job back, to be tried again after `delay_ms`; without `is_try` this claim does not count."""
        ...

    async def finish(self, job: Job, state: JobState, *, reason: str, error: str, plan_at_tokens: int) -> bool:
        """Ends the job without a summary; the session is no longer pending."""
        ...

    async def revive(self, job: Job) -> Job | None:
        """A dead job is queued as if it were new; one that waits for its next try is tried now.

        None: it is in another state, or its session waits for another job, or is gone.
        """
        ...

    async def cancel(self, job: Job, *, plan_at_tokens: int) -> Job | None:
        """Ends the job for good, whoever is at work on it; the session is no longer pending.

        None: it has ended otherwise. One that was cancelled before stays so.
        """
        ...

    async def commit(self, key: SessionKey, write: CommitWrite) -> Job | Stale | None:
        """Shows the summary and hides its sources; None: refused, another claim or another job rules.

        No reply is kept for the session any more.
        """
        ...

    async def keep_reply(
        self, key: SessionKey, incarnation: str, digest: str, reply: bytes, *, spent: Spent = NOTHING_SPENT
    ) -> bool:
        """Keeps a reply that passed the gate until it is committed, so that it is paid for once; books what it cost.

        False: the session was erased meanwhile; nothing is kept of it.
        """
        ...

    async def kept_reply(self, key: SessionKey, digest: str) -> bytes | None: ...

    async def due_jobs(self, limit: int) -> list[str]:
        """Ids of jobs that somebody should look at now: lost, left behind, or to be tried again."""
        ...

    async def postpone(self, job_ids: Sequence[str], delay_ms: int) -> None:
        """Looks at these jobs again after `delay_ms`: they were sent just now."""
        ...

    def recent_sessions(self, since_ms: int) -> AsyncIterator[list[SessionKey]]:
        """All sessions of all tenants that were active since then, some at a time."""
        ...

    async def drop_expired(self, limit: int) -> int:
        """Takes sessions that expired out of every index; how many, at most `limit`."""
        ...

    async def try_lock(self, name: str, hold_ms: int) -> bool:
        """Whether nobody holds the lock; it is then held for `hold_ms`. For saving work, never for being right."""
        ...

    async def now_ms(self) -> int:
        """The store's clock: what all workers go by."""
        ...

    async def health(self) -> StoreHealth:
        """What its operators should know; never raises."""
        ...

    async def ping(self) -> None:
        """
        Raises:
            Unavailable: the store is out of reach.
        """
        ...

    async def close(self) -> None: ...
