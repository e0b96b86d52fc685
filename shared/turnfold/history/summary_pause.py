"""A summarizer that fails is left alone for a while: nobody waits for it in vain, call after call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from turnfold import telemetry
from turnfold.compaction.run import DEFERRED, CompactionRun
from turnfold.compaction.selection import NOTHING_TO_DO, TOO_LARGE

_NO_FAILURE = (None, DEFERRED, NOTHING_TO_DO, TOO_LARGE)
_KEY = "pause"
# A failing summarizer is tried once in so many times at least.
LONGEST = 64
_LOG = telemetry.logger(__name__)


class SummaryPause:
    """After a failure 1 time without a summary, then 2, then 4, … up to 64; a summary ends it.

    `begin` comes before each time that a strategy runs, `learn` after it.
    """

    def __init__(self, failures: int = 0, left: int = 0) -> None:
        self._failures, self._left = failures, left

    @classmethod
    def read(cls, state: Mapping[str, Any]) -> SummaryPause:
        """The one in a provider's state."""
        failures, left = state.get(_KEY) or (0, 0)
        return cls(failures, left)

    def write(self, state: dict[str, Any]) -> None:
        """Keeps it in a provider's state, where there is one."""
        if self._failures:
            state[_KEY] = [self._failures, self._left]
        else:
            state.pop(_KEY, None)

    def begin(self) -> bool:
        """Whether summaries are left out this time."""
        self._left = max(0, self._left - 1)
        return self._left > 0

    def learn(self, run: CompactionRun) -> None:
        """Takes in what the strategy did; a failure is logged."""
        tried = [action for action in run.actions if action.strategy == "summarization" and action.triggered]
        failure = next((action.reason for action in tried if action.reason not in _NO_FAILURE), None)
        if any(action.changed for action in tried):
            self._failures = self._left = 0
        elif failure is not None:
            self._left = min(LONGEST, 2**self._failures) + 1
            self._failures += 1
            _LOG.warning(telemetry.COMPACTION_FAILED, reason=failure, failures=self._failures)
