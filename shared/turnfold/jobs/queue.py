"""How a worker is woken for a job. The store knows the jobs; a message only makes a worker look sooner."""

from __future__ import annotations

from typing import Protocol


class JobQueue(Protocol):
    """Hands over job ids. What is lost here costs seconds: workers look for jobs of their own accord."""

    async def send(self, job_id: str, *, live: bool = True) -> bool:
        """True once the broker has the id; False if it could not be reached in time. Never raises for a broker.

        Send after the job is in the store. Sending an id twice is harmless: the store decides who runs it.

        Args:
            job_id: the job, which is in the store already.
            live: its user is about to speak; such jobs go before all others.
        """
        ...

    async def ping(self) -> None:
        """
        Raises:
            Unavailable: the broker is out of reach.
        """
        ...

    async def close(self) -> None:
        """Ends threads and connections. What is sent afterwards is refused."""
        ...
