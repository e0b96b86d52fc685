"""Store, API, workers and a model's server: real processes, started by a test and ended with it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.chat import Chat
from tests.support.model_server import MODEL, ModelServer
from tests.support.waiting import wait_until
from turnfold.audit import audit
from turnfold.embedded import EmbeddedServer
from turnfold.policy import Policy
from turnfold.processes import free_port, start_tied
from turnfold.sessions.job import Job
from turnfold.sessions.session_key import SessionKey
from turnfold.sessions.store import SessionStore
from turnfold.settings import Settings
from turnfold.wiring import build_store

ROOT = Path(__file__).parents[2]
START_SECONDS = 30.0
LEASE_SECONDS = 2.0
# A dozen of the chat's messages are more than the trigger; about eight of them are folded.
POLICY: dict[str, Any] = {
    "strategy": "summarization",
    "trigger": {"tokens_exceed": 400},
    "target": {"tokens_below": 200},
    "minimum_preserved": 2,
    "min_source_tokens": 100,
}


@dataclass
class Part:
    """One process of the system, and what it wrote."""

    process: subprocess.Popen[bytes]
    log_file: Path

    def log(self) -> str:
        return self.log_file.read_text()

    def wait_for(self, words: str, *, timeout_seconds: float = START_SECONDS) -> None:
        """Waits until these words are in its log.

        Raises:
            AssertionError: the process has ended, or they don't come.
        """
        wait_until(
            lambda: words in self.log() or self.process.poll() is not None,
            description=f"a process says {words}; it said: {self.log()[-3000:]}",
            timeout_seconds=timeout_seconds,
        )
        assert words in self.log(), self.log()[-3000:]

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@dataclass
class LiveSystem:
    """What runs, and how to start more."""

    folder: Path
    store: EmbeddedServer
    model: ModelServer
    env: Mapping[str, str]
    parts: list[Part] = field(default_factory=list[Part])
    chats: list[Chat] = field(default_factory=list[Chat])
    base_url: str = ""

    def start_api(self, env: Mapping[str, str] | None = None) -> str:
        """Its base URL, once it is ready."""
        port = free_port()
        part = self.start("-m", "turnfold", "api", "--port", str(port), env=env)
        url = f"http://127.0.0.1:{port}"
        wait_until(
            lambda: _answers(f"{url}/readyz") or part.process.poll() is not None,
            description="the API is ready",
            timeout_seconds=START_SECONDS,
        )
        assert part.process.poll() is None, part.log()
        return url

    def start_worker(self, *, env: Mapping[str, str] | None = None, says: str = "worker.ready") -> Part:
        """A worker that has said that it is ready, or something else that is told."""
        part = self.start("-m", "turnfold", "worker", env=env)
        part.wait_for(says)
        return part

    def start(self, *arguments: str, env: Mapping[str, str] | None = None) -> Part:
        """A Python process in the system's environment."""
        log_file = self.folder / f"log{len(self.parts)}"
        with log_file.open("wb") as log:
            process = start_tied(
                [sys.executable, *arguments], cwd=ROOT, env={**self.env, **(env or {})}, stdout=log.fileno()
            )
        part = Part(process, log_file)
        self.parts.append(part)
        return part

    def chat(self, *, base_url: str = "", policy: Any = None, mark: str = "") -> Chat:
        """A new conversation, with a policy and a mark of its own if they are given."""
        chat = Chat(base_url or self.base_url, mark=mark)
        self.chats.append(chat)
        if policy is not None:
            chat.create(policy)
        return chat

    def findings(self, chat: Chat) -> list[str]:
        """Promises that the stored session breaks."""
        return asyncio.run(self._findings(_key(chat)))

    def summaries(self, chat: Chat) -> list[dict[str, Any]]:
        """Records of all summaries that ever landed, oldest first."""
        return asyncio.run(self._summaries(_key(chat)))

    def stored_job(self, job_id: str) -> Job:
        """The job's whole record; the API shows less."""
        return asyncio.run(self._stored_job(job_id))

    async def _stored_job(self, job_id: str) -> Job:
        store = self._open_store()
        job = await store.read_job(job_id)
        await store.close()
        assert job is not None
        return job

    async def _findings(self, key: SessionKey) -> list[str]:
        store = self._open_store()
        found = await audit(store, key, Policy.from_json(json.dumps(POLICY)))
        await store.close()
        return [str(finding) for finding in found]

    async def _summaries(self, key: SessionKey) -> list[dict[str, Any]]:
        store = self._open_store()
        found = await store.summaries(key)
        await store.close()
        return sorted(found.values(), key=lambda record: record["log_length"])

    def _open_store(self) -> SessionStore:
        return build_store(Settings(redis_url=self.env["TURNFOLD_REDIS_URL"]))


@contextmanager
def live_system(
    folder: Path, *, env: Mapping[str, str] | None = None, data: Path | None = None, broker_beside: bool = False
) -> Generator[LiveSystem]:
    """A store (its data in `data`, if that is given), a model's server, and an API; workers are the test's to start.

    `broker_beside`: the store is another one, which `env` names, and the server here is the broker alone.
    """
    with ExitStack() as stack:
        store = stack.enter_context(EmbeddedServer(data))
        model = stack.enter_context(ModelServer())
        system = LiveSystem(folder, store, model, _environment(store, model) | dict(env or {}))
        if broker_beside:
            system.env = {**system.env, "TURNFOLD_BROKER_URL": store.broker_url}
        stack.callback(_end, system)
        system.base_url = system.start_api()
        yield system


def _environment(store: EmbeddedServer, model: ModelServer) -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONUNBUFFERED": "1",
        "NO_PROXY": "127.0.0.1",
        "TURNFOLD_REDIS_URL": store.redis_url,
        "TURNFOLD_POLICY": json.dumps(POLICY),
        "TURNFOLD_SUMMARIZER": "openai",
        "TURNFOLD_OPENAI_BASE_URL": model.base_url,
        "TURNFOLD_SUMMARY_MODEL": MODEL,
        "TURNFOLD_LEASE_SECONDS": str(LEASE_SECONDS),
        "TURNFOLD_LOG_FORMAT": "json",
    }


def _end(system: LiveSystem) -> None:
    for chat in system.chats:
        chat.close()
    for part in system.parts:
        part.kill()


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def _key(chat: Chat) -> SessionKey:
    return SessionKey("default", chat.session)
