"""Keeps one part running."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from turnfold.errors import TurnfoldError
from turnfold.supervisor.part import Part

# A part that dies is back at once; one that dies again and again takes a longer pause each time, but never 2 seconds.
FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 1.5
# After a life of this length, a death counts as the first.
STEADY_AFTER_SECONDS = 10.0


class Keeper:
    """A thread that starts a part, waits for its end, and starts it again, until told to stop."""

    def __init__(self, part: Part, *, say: Callable[[str, str], None]) -> None:
        self.part = part
        self._say = say
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._keep, name=f"turnfold-keeper-{part.name}", daemon=True)
        self._deaths = 0

    @property
    def deaths(self) -> int:
        """How often the part has ended on its own."""
        return self._deaths

    def start(self) -> None:
        self._thread.start()

    def ask_to_stop(self) -> None:
        """The part is asked to end and is not started again."""
        self._stopping.set()
        self.part.terminate()

    def stopped_within(self, seconds: float) -> bool:
        self._thread.join(max(seconds, 0.0))
        return not self._thread.is_alive()

    def _keep(self) -> None:
        pause = FIRST_PAUSE_SECONDS
        while not self._stopping.is_set():
            began = time.monotonic()
            how = self._one_life()
            if self._stopping.is_set():
                return
            self._deaths += 1
            if time.monotonic() - began > STEADY_AFTER_SECONDS:
                pause = FIRST_PAUSE_SECONDS
            self._say(self.part.name, f"{how}; starting it again")
            self._stopping.wait(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)

    def _one_life(self) -> str:
        try:
            self.part.start()
        except (TurnfoldError, OSError) as error:
            return f"could not be started: {error}"
        if self._stopping.is_set():  # set while the part was starting: the request to end may have come too early
            self.part.terminate()
        status = self.part.wait()
        return f"killed by signal {-status}" if status < 0 else f"ended with status {status}"
