"""Checks a stored session against what the system promises. Each finding names the promise that is broken.

1. Nothing is lost: the log has every position once, but for messages that were erased.
2. Coverage: each message is shown, or among the sources of exactly one live summary, or hidden for a named reason.
3. Nothing is hidden by a summary that does not exist.
4. Pairs: what the model gets has no result without its call, and no call without its result but at the end.
5. Counts: what the head says is what the log gives.
6. Jobs: a pending job exists and has not ended.
7. Provenance: a summary that shows is the one that was made, of the messages that it names; and signed, if any is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from turnfold.content import tool_calls
from turnfold.counts import Counts
from turnfold.errors import NotFound
from turnfold.index import MessageIndex
from turnfold.policy import Policy
from turnfold.provenance import Signer
from turnfold.sessions.head import Head
from turnfold.sessions.held import held_counts
from turnfold.sessions.recount import policy_of
from turnfold.sessions.replay import replay
from turnfold.sessions.restore import restore_included
from turnfold.sessions.session_key import SessionKey
from turnfold.sessions.signatures import doubts
from turnfold.sessions.store import Read, SessionStore
from turnfold.tokens import TokenizerProtocol, tokenizer_named

EVERYTHING = 2**31


@dataclass(frozen=True, slots=True)
class Finding:
    """A broken promise: which one, and what was found."""

    promise: str
    what: str

    def __str__(self) -> str:
        return f"{self.promise}: {self.what}"


async def audit(
    store: SessionStore, key: SessionKey, default_policy: Policy, signer: Signer | None = None
) -> list[Finding]:
    """Every promise that the session breaks; none, if all is well. Without a signer, no signature is checked.

    Raises:
        NotFound: there is no such session.
    """
    read = await store.read_log(key, 0, EVERYTHING)
    turn = await store.read_turn(key)
    if read is None or turn is None:
        raise NotFound(f"there is no session {key.id!r}")
    if turn.head.version != read.head.version:  # written to between the two reads
        return await audit(store, key, default_policy, signer)
    tokenizer = _tokenizer(read.head, default_policy)
    records = await store.summaries(key)
    index = replay(read.head, read.view, read.entries, records, tokenizer)
    shown = restore_included(turn.view, turn.entries, turn.head, tokenizer)
    ended = await _job(store, read.head)
    if ended and (await store.read_head(key) or read.head).version != read.head.version:  # it ended between the reads
        return await audit(store, key, default_policy, signer)
    return [
        *_log(read),
        *_coverage(index),
        *_same_projection(index, shown),
        *_pairs(shown),
        *_counts(read, index),
        *(Finding("provenance", doubt) for doubt in doubts(key, read, records, signer)),
        *ended,
    ]


def _tokenizer(head: Head, default_policy: Policy) -> TokenizerProtocol:
    """The one that the session was counted with: another one of its policy has it counted anew when it is next used."""
    return tokenizer_named(head.state["tokenizer"]) if head.state else policy_of(head, default_policy).tokenizer


def _log(read: Read) -> Iterator[Finding]:
    expected = set(range(1, read.head.length + 1))
    if beyond := set(read.entries) - expected:
        yield Finding("log", f"positions behind the end: {sorted(beyond)[:5]}")
    ids = Counter(entry.id for entry in read.entries.values())
    if twice := [name for name, count in ids.items() if count > 1]:
        yield Finding("log", f"ids that occur twice: {twice[:5]}")
    missing = expected - set(read.entries)
    if len(missing) != read.head.erased:
        told = f"{sorted(missing)[:5]}, where {read.head.erased} messages were erased"
        yield Finding("log", f"positions without a message: {told}")


def _coverage(index: MessageIndex) -> Iterator[Finding]:
    for group in index.groups:
        if group.included:
            continue
        if not group.reason:
            yield Finding("coverage", f"group {group.id} is hidden without a reason")
        if group.summarized_by is None:
            continue
        summary = index.group(group.summarized_by)
        if summary is None or group.id not in summary.summary_of:
            yield Finding("coverage", f"group {group.id} is hidden behind {group.summarized_by}, which lacks it")
    sources = Counter(source for group in index.groups for source in group.summary_of)
    for source, count in sources.items():
        if count > 1:
            yield Finding("coverage", f"group {source} is covered by {count} summaries")


def _same_projection(index: MessageIndex, shown: MessageIndex) -> Iterator[Finding]:
    """What a turn reads is what the whole log gives."""
    whole = [(group.id, group.positions) for group in index.included_groups]
    read = [(group.id, group.positions) for group in shown.included_groups]
    if whole != read:
        only_whole = [item for item in whole if item not in read][:3]
        only_read = [item for item in read if item not in whole][:3]
        yield Finding("coverage", f"a turn shows other groups than the log: {only_whole} against {only_read}")


def _pairs(index: MessageIndex) -> Iterator[Finding]:
    shown = index.included_groups
    for group in shown:
        waiting: Counter[str] = Counter()
        for message in group.messages:
            waiting.update(call.id for call in tool_calls(message) if call.id)
            if message.get("role") == "tool":
                waiting[str(message.get("tool_call_id"))] -= 1
                if min(waiting.values()) < 0:
                    yield Finding("pairs", f"group {group.id} has a result without its call")
        if max(waiting.values(), default=0) > 0 and group is not shown[-1]:
            yield Finding("pairs", f"group {group.id} has a call without its result")


def _counts(read: Read, index: MessageIndex) -> Iterator[Finding]:
    head = read.head
    if not head.state:
        return
    if head.held != (held := held_counts(index.groups, read.view.held)):
        yield Finding("counts", f"unfolded: the head says {head.held}, the log gives {held}")
    for name in ("all", "live", "included"):
        told = Counts.from_dict(head.state[name]).public()
        found = getattr(index, name).public()
        if told != found:
            yield Finding("counts", f"{name}: the head says {told}, the log gives {found}")


async def _job(store: SessionStore, head: Head) -> list[Finding]:
    if not head.pending_job:
        return []
    job = await store.read_job(head.pending_job)
    if job is None:
        return [Finding("jobs", f"the pending job {head.pending_job} does not exist")]
    return [Finding("jobs", f"the pending job {job.id} is {job.state}")] if job.state.is_final else []
