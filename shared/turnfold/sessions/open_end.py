"""The open end of a log: what a later message may still change, and how much of it is remembered.

Every append reads and writes it, and every turn reads its groups. So calls that are never answered must not pile up in
it: of those that wait, the newest are remembered. A result that comes after its call was forgotten is a result without
a call, and hidden as such; the call stays hidden as one without a result.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from turnfold.grouping import Grouper
from turnfold.groups import MessageGroup

# Messages with calls that wait, the calls in them, and reasoning that a call may still claim.
MOST_GROUPS = 256
MOST_CALLS = 1024
MOST_REASONING = 256


@dataclass(frozen=True, slots=True)
class OpenEnd:
    """Of a log: its length, and the ids of the groups that a later message may still change."""

    length: int
    groups: frozenset[str]


def open_end_of(grouper: Grouper) -> OpenEnd:
    """What is remembered of it."""
    return OpenEnd(grouper.last_position, frozenset(group.id for group in grouper.tail))


def bounded(grouper: Grouper) -> Grouper:
    """The grouper without what is no longer remembered: itself, nearly always."""
    tail = grouper.tail
    if len(tail) <= min(MOST_GROUPS, MOST_REASONING) and sum(len(group.open_calls) for group in tail) <= MOST_CALLS:
        return grouper
    state = grouper.state()
    kept = _newest_waiting(tail) | {state["last"], state["newest"], state["before_run"]}
    waiting = {call: [i for i in ids if i in kept] for call, ids in state["open"].items()}
    bound = {"open": {call: ids for call, ids in waiting.items() if ids}, **_reasoning(state)}
    return Grouper.resume(state | bound, {group.id: group for group in tail})


def _newest_waiting(tail: Iterable[MessageGroup]) -> set[str]:
    """Ids of the groups whose calls are waited for, the newest ones, whole."""
    waiting = [group for group in tail if group.open_calls]
    kept: set[str] = set()
    calls = 0
    for group in waiting[: -MOST_GROUPS - 1 : -1]:
        calls += len(group.open_calls)
        if calls > MOST_CALLS:
            break
        kept.add(group.id)
    return kept


def _reasoning(state: dict[str, Any]) -> dict[str, list[str]]:
    """The newest reasoning; a run that is too long as a whole stands alone."""
    run, loose = state["run"], state["loose"]
    if len(run) > MOST_REASONING:
        too_long = set(run)
        run, loose = [], [group_id for group_id in loose if group_id not in too_long]
    return {"run": run, "loose": loose[-MOST_REASONING:]}
