"""A session as a whole: every message and every summary, for what can't be told from the live part alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from turnfold.errors import NotFound
from turnfold.index import MessageIndex
from turnfold.policy import Policy
from turnfold.service import TurnfoldService
from turnfold.sessions.entry import Entry
from turnfold.sessions.head import Head
from turnfold.sessions.held import Held, held_counts
from turnfold.sessions.index_state import closed, state_after
from turnfold.sessions.job import Job
from turnfold.sessions.recount import EVERYTHING, is_counted_by, policy_of, recounted
from turnfold.sessions.replay import replay
from turnfold.sessions.session_key import SessionKey
from turnfold.sessions.view import View
from turnfold.sessions.view_of import view_after_commit


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """All of a session, read at its head's version.

    Attributes:
        records: every summary's record by id, those that were folded again among them.
        policy: the session's own, or the service's.
        pending: the job that is recorded and not ended.
    """

    key: SessionKey
    head: Head
    view: View
    entries: Mapping[int, Entry]
    records: Mapping[str, Mapping[str, Any]]
    policy: Policy
    pending: Job | None = None

    def index(self) -> MessageIndex:
        """Every group that ever was, as if no inline step had hidden anything."""
        return replay(self.head, View(), self.entries, self.records, self.policy.tokenizer)

    def without(self, summaries: Collection[str]) -> Whole:
        """The same as if these summaries had never been made."""
        return replace(self, records={name: self.records[name] for name in self.records if name not in summaries})

    def closing(self, groups: Collection[str]) -> Whole:
        """The same with these groups closed for good: nothing that comes later joins them."""
        return replace(self, head=replace(self.head, state=closed(self.head.state, groups)))

    def with_newest_last(self) -> Whole:
        """The same where the group that may wait for results, since it is the newest, is still the last one."""
        grouper = self.head.state["grouper"]
        log = [group for group in self.index().groups if group.is_log]
        if not log or grouper["newest"] in (None, log[-1].id):
            return self
        state = {**self.head.state, "grouper": {**grouper, "newest": None}}
        return replace(self, head=replace(self.head, state=state))


async def read_whole(service: TurnfoldService, session_id: str) -> Whole:
    """
    Raises:
        NotFound: there is no such session.
    """
    key = service.key(session_id)
    while (read := await service.store.read_log(key, 0, EVERYTHING)) is not None:
        policy = policy_of(read.head, service.policy)
        if not is_counted_by(read.head, policy):
            await recounted(service.store, key, read.head, service.policy)
            continue
        records = await service.store.summaries(key)
        pending = await service.store.read_job(read.head.pending_job) if read.head.pending_job else None
        return Whole(
            key=key, head=read.head, view=read.view, entries=read.entries, records=records, policy=policy,
            pending=pending,
        )  # fmt: skip
    raise NotFound(f"there is no session {session_id!r}")


def head_and_view(whole: Whole, index: MessageIndex, held: Held) -> tuple[Head, View]:
    """What is to be stored of an index of the whole: no job is pending, and no inline step hides anything."""
    state, open_end = state_after(index, whole.head.state)
    covered = [p for group in index.groups if group.covered_for_good for p in group.positions]
    view = view_after_commit(index, covered, open_end, held)
    head = replace(
        whole.head,
        version=whole.head.version + 1,
        view_revision=whole.head.view_revision + 1,
        pending_job="",
        state=state,
        held=held_counts(index.groups, view.held),
    )
    return head, view
