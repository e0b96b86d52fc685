"""A rest after a failed send, so that a broker that hangs is asked once a second and not once a request."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class SendPause:
    """Says whether a send may be tried. After a failure one try in each pause may, until one succeeds."""

    def __init__(self, seconds: float = 1.0, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._until: float | None = None
        self._lock = threading.Lock()

    def allows(self) -> bool:
        """Asking takes the one try that a pause allows: ask once a send."""
        with self._lock:
            if self._until is None:
                return True
            if self._clock() < self._until:
                return False
            self._until = self._clock() + self._seconds
            return True

    def failed(self) -> None:
        with self._lock:
            self._until = self._clock() + self._seconds

    def succeeded(self) -> None:
        with self._lock:
            self._until = None
