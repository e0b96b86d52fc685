"""Keeps several parts running, and ends them all."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Self

from turnfold.supervisor.keeper import Keeper
from turnfold.supervisor.part import Part

STOP_TIMEOUT_SECONDS = 6.0
_KILL_TRIES = 20
_KILL_POLL_SECONDS = 0.1


class Supervisor:
    """Runs parts side by side; a dead one is started again within 2 seconds.

    A context manager: entered, the parts have been started; left, they have ended.

    Args:
        parts: what to keep running.
        say: takes the name of a part and a line for the log.
        stop_timeout_seconds: how long the parts may take to end when asked; then they are killed.
    """

    def __init__(
        self,
        parts: Sequence[Part],
        *,
        say: Callable[[str, str], None],
        stop_timeout_seconds: float = STOP_TIMEOUT_SECONDS,
    ) -> None:
        self._keepers = [Keeper(part, say=say) for part in parts]
        self._stop_timeout_seconds = stop_timeout_seconds

    def __enter__(self) -> Self:
        for keeper in self._keepers:
            keeper.start()
        return self

    def __exit__(self, *_: object) -> None:
        for keeper in self._keepers:
            keeper.ask_to_stop()
        deadline = time.monotonic() + self._stop_timeout_seconds
        for keeper in self._keepers:
            if not keeper.stopped_within(deadline - time.monotonic()):
                _kill(keeper)

    def waits_for(self) -> list[str]:
        """The parts that don't do their work yet."""
        return [keeper.part.name for keeper in self._keepers if not keeper.part.is_ready]

    def deaths(self) -> dict[str, int]:
        """How often each part has ended on its own."""
        return {keeper.part.name: keeper.deaths for keeper in self._keepers}


def _kill(keeper: Keeper) -> None:
    # More than once: the part may be just about to start.
    for _ in range(_KILL_TRIES):
        keeper.part.kill()
        if keeper.stopped_within(_KILL_POLL_SECONDS):
            return
