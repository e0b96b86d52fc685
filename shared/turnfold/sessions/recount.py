"""Counting a session anew, when its policy counts with another tokenizer than it was counted with."""

from __future__ import annotations

from dataclasses import replace

from turnfold.index import MessageIndex
from turnfold.policy import Policy
from turnfold.sessions.head import Head
from turnfold.sessions.held import held_counts
from turnfold.sessions.index_state import state_after
from turnfold.sessions.replay import replay
from turnfold.sessions.session_key import SessionKey
from turnfold.sessions.store import SessionStore

EVERYTHING = 2**31


def policy_of(head: Head, default: Policy) -> Policy:
    """The session's own policy, or the service's."""
    return Policy.from_json(head.policy) if head.policy else default


def is_counted_by(head: Head, policy: Policy) -> bool:
    """Whether the session's counts are in the policy's tokenizer."""
    return not head.state or head.state["tokenizer"] == policy.tokenizer_name


async def recounted(store: SessionStore, key: SessionKey, head: Head, default: Policy) -> Head | None:
    """The head with counts in the tokenizer of its policy; None where the session is gone. Reads the whole log, once.

    `default` is the policy of sessions without one of their own. The head that comes back may have another policy than
    the one that went in: it is as it was stored last.
    """
    present: Head | None = head
    while present is not None and not is_counted_by(present, policy := policy_of(present, default)):
        present = await _recount(store, key, policy) or await store.read_head(key)
    return present


async def _recount(store: SessionStore, key: SessionKey, policy: Policy) -> Head | None:
    """The head that was written; None where somebody was faster."""
    read = await store.read_log(key, 0, EVERYTHING)
    if read is None:
        return None
    counter = MessageIndex(tokenizer=policy.tokenizer)
    for made in read.view.made:
        made.token_count, made.byte_count = counter.measure(made.messages[0])
    index = replay(read.head, read.view, read.entries, await store.summaries(key), policy.tokenizer)
    state, _ = state_after(index, read.head.state)
    held = held_counts(index.groups, read.view.held)
    wanted = replace(read.head, version=read.head.version + 1, state=state, held=held)
    return wanted if await store.write_view(key, read.head.version, wanted, read.view) else None
