"""Whether a summary is due, read off the counts alone."""

from __future__ import annotations

from turnfold.counts import Counts
from turnfold.policy import Policy
from turnfold.sessions.head import Head
from turnfold.sessions.held import unheld
from turnfold.sessions.job import Job, new_job
from turnfold.sessions.session_key import SessionKey
from turnfold.triggers import CountsView


def plan(
    key: SessionKey,
    head: Head,
    policy: Policy,
    *,
    live: Counts,
    all_tokens: int,
    turn: int = 0,
    is_live: bool = True,
) -> Job | None:
    """The job to record, None where none is due, one is pending, or the service behind the model keeps the history.

    Args:
        live: counts of what no summary covers: what inline steps hide does not count as gone.
        all_tokens: tokens of the whole log; a job that had too little to do is not planned again before it has grown.
        turn: the newest one's number.
        is_live: somebody is about to speak.
    """
    if head.pending_job or head.service_session_id or all_tokens < head.plan_at_tokens:
        return None
    step = policy.due_step(CountsView(unheld(live, head.held), head.overhead_tokens))
    return None if step is None else new_job(key, head.incarnation, step=step, turn=turn, live=is_live)


def plan_again(
    key: SessionKey, head: Head, policy: Policy, *, live: Counts, until: int, is_live: bool = True
) -> Job | None:
    """The job that folds again what was folded up to position `until`, whether the trigger holds or not."""
    if head.service_session_id:
        return None
    step = policy.due_step(CountsView(unheld(live, head.held), head.overhead_tokens))
    return new_job(key, head.incarnation, step=step or 0, until=until, live=is_live)
