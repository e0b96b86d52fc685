"""`Turnfold` without async, for Flask, Django and scripts: one event loop in a thread of its own does the work."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterable, Mapping
from typing import Any, TypeVar

from turnfold import wiring
from turnfold.policy import Policy
from turnfold.recall.hit import Hit
from turnfold.sessions.job import Job
from turnfold.turn import AppendResult, Turn

T = TypeVar("T")


class Turnfold:
    """As `turnfold.Turnfold`, each method waiting for its answer. Share one among all threads; close it at the end."""

    def __init__(
        self,
        *,
        redis_url: str | None = None,
        broker_url: str | None = None,
        policy: Policy | Mapping[str, Any] | str | None = None,
        tenant: str = "default",
    ) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="turnfold", daemon=True)
        self._thread.start()
        try:
            self._service = wiring.Turnfold(redis_url=redis_url, broker_url=broker_url, policy=policy, tenant=tenant)
        except BaseException:
            self._stop()
            raise

    @classmethod
    def from_env(cls) -> Turnfold:
        """With the settings of the environment (`TURNFOLD_REDIS_URL`, …)."""
        return cls()

    def append(self, session_id: str, messages: Iterable[Any], *, usage: Any = None, pin: Any = None) -> AppendResult:
        """Stores messages, in order, all or none; plans a summary when one is due."""
        return self._wait(self._service.append(session_id, messages, usage=usage, pin=pin))

    def pin(self, session_id: str, message_id: str, *, pinned: bool = True) -> None:
        """Marks a message as never to be lost, or takes the mark back."""
        self._wait(self._service.pin(session_id, message_id, pinned=pinned))

    def context(self, session_id: str, *, budget_tokens: int | None = None) -> Turn:
        """The messages for the model's next call. Never waits for a summarizer."""
        return self._wait(self._service.context(session_id, budget_tokens=budget_tokens))

    def search(self, session_id: str, query: str, *, limit: int = 10) -> list[Hit]:
        """The original messages that match, best first: folded ones too."""
        return self._wait(self._service.search(session_id, query, limit=limit))

    def compact(self, session_id: str) -> Job:
        """Asks for a summary now: the job that does it."""
        return self._wait(self._service.compact(session_id))

    def erase_message(self, session_id: str, message_id: str) -> None:
        """Erases a message for good, with all that was made of it."""
        self._wait(self._service.erase_message(session_id, message_id))

    def unfold(self, session_id: str, group_id: str) -> None:
        """Takes a summary back: its sources show again, and no trigger folds them again."""
        self._wait(self._service.unfold(session_id, group_id))

    def delete(self, session_id: str) -> None:
        """Erases a session."""
        self._wait(self._service.delete(session_id))

    def close(self) -> None:
        """Closes store and queue, and ends the thread."""
        self._wait(self._service.close())
        self._stop()

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
