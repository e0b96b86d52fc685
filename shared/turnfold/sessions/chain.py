"""Down the chain: from a summary to the summaries that it tells of, and to the messages under all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from turnfold.sessions.view import View

Records = Mapping[str, Mapping[str, Any]]


def chain_under(records: Records, summaries: Iterable[str]) -> list[str]:
    """Ids of these summaries and of all that they tell of, the newest first of each branch; unknown ones left out."""
    found: dict[str, None] = {}
    waiting = list(summaries)
    while waiting:
        name = waiting.pop()
        if name in records and name not in found:
            found[name] = None
            waiting += records[name]["summary_of"]
    return list(found)


def positions_under(records: Records, summaries: Iterable[str]) -> list[int]:
    """Positions of all messages under these summaries, in order."""
    return sorted({position for name in chain_under(records, summaries) for position in records[name]["positions"]})


def is_folded(view: View, position: int) -> bool:
    """Whether a summary covers the message."""
    before = position < view.live and position not in view.kept_before_live
    return before or position in view.covered
