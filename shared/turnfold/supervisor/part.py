"""What can be kept running."""

from __future__ import annotations

from typing import Protocol


class Part(Protocol):
    """A process that can be started again after its end."""

    @property
    def name(self) -> str:
        """For the log."""
        ...

    @property
    def is_ready(self) -> bool:
        """Whether it does its work."""
        ...

    def start(self) -> None:
        """Starts it; does nothing if it runs."""
        ...

    def wait(self) -> int:
        """Blocks until it has ended, and returns its exit status (negative: the signal that ended it)."""
        ...

    def terminate(self) -> None:
        """Asks it to end; does nothing if it does not run."""
        ...

    def kill(self) -> None:
        """Ends it at once; does nothing if it does not run."""
        ...
