"""A conversation over the HTTP API, as a chat backend would lead it."""

from __future__ import annotations

import secrets
import time
from typing import Any

import httpx

from tests.support.waiting import wait_until

JOB_SECONDS = 30.0
FINAL_STATES = ("succeeded", "superseded", "dead", "cancelled")
# In every message of about 40 tokens (a token is four characters).
FILLER = (
    "A parcel was handed in at the counter, weighed, labelled and sent on to the next depot on its way to the owner."
)


class Chat:
    """One session. Each message has a text of its own, with a mark that no other conversation has.

    Attributes:
        said: texts of the messages that the API has acknowledged, in order.
        seconds: how long each request took.
    """

    def __init__(self, base_url: str, *, mark: str = "") -> None:
        self.mark = mark or f"chat-{secrets.token_hex(4)}"
        self.session = self.mark
        self.said: list[str] = []
        self.seconds: list[float] = []
        self._client = httpx.Client(base_url=base_url, trust_env=False, timeout=30.0)

    def create(self, policy: Any) -> None:
        """Makes the session, with a policy of its own; without this the first append makes it."""
        self._call("POST", "/v1/sessions", {"id": self.session, "policy": policy})

    def append(self, count: int, *, filler: str = FILLER) -> Any:
        """So many messages in one request, user and assistant in turn."""
        first = len(self.said)
        texts = [f"Message {first + n} of {self.mark}: {filler}" for n in range(count)]
        roles = ("user", "assistant")
        messages = [{"role": roles[(first + n) % 2], "content": text} for n, text in enumerate(texts)]
        answer = self._call("POST", f"/v1/sessions/{self.session}/messages", {"messages": messages})
        self.said += texts
        return answer

    def append_until_due(self) -> str:
        """Enough messages for a summary to be due; the job's id."""
        job = self.append(12)["job"]
        assert job is not None
        return str(job["id"])

    def context(self, *, wait_ms: int = 0) -> Any:
        return self._call("GET", f"/v1/sessions/{self.session}/context?wait_ms={wait_ms}")

    def shown(self, *, wait_ms: int = 0) -> list[str]:
        """Texts of what the model would be given now."""
        return [message["content"] for message in self.context(wait_ms=wait_ms)["messages"]]

    def logged(self) -> list[str]:
        """Texts of the original log."""
        answer = self._call("GET", f"/v1/sessions/{self.session}/messages?limit=1000")
        return [message["content"] for message in answer["messages"]]

    def head(self) -> Any:
        return self._call("GET", f"/v1/sessions/{self.session}")

    def erase(self) -> None:
        """Erases the session; the next append makes another one of the same id."""
        self._call("DELETE", f"/v1/sessions/{self.session}")
        self.said.clear()

    def job(self, job_id: str) -> Any:
        return self._call("GET", f"/v1/jobs/{job_id}")

    def job_in(self, job_id: str, *states: str, timeout_seconds: float = JOB_SECONDS) -> Any:
        """The job, once it is in one of these states."""
        wait_until(
            lambda: self.job(job_id)["state"] in states,
            description=f"the job {job_id} is {' or '.join(states)}",
            timeout_seconds=timeout_seconds,
        )
        return self.job(job_id)

    def ended_job(self, job_id: str, *, timeout_seconds: float = JOB_SECONDS) -> Any:
        """The job, once it is in a final state."""
        return self.job_in(job_id, *FINAL_STATES, timeout_seconds=timeout_seconds)

    def wait_until_nothing_is_pending(self) -> None:
        wait_until(
            lambda: self.head()["pending_job"] is None, description="no job is pending", timeout_seconds=JOB_SECONDS
        )

    def close(self) -> None:
        self._client.close()

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        began = time.perf_counter()
        answer = self._client.request(method, path, json=body)
        self.seconds.append(time.perf_counter() - began)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None
