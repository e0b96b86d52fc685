"""`turnfold inspect` and `turnfold audit` on a real store, whole and broken by hand."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
import redis

from turnfold import jsonio
from turnfold.embedded import EmbeddedServer
from turnfold.jobs.memory_queue import MemoryQueue
from turnfold.jobs.retries import RetryPolicy
from turnfold.policy import Policy
from turnfold.service import TurnfoldService
from turnfold.sessions import keys
from turnfold.sessions.session_key import SessionKey
from turnfold.settings import Settings
from turnfold.summaries.extractive import ExtractiveSummarizer
from turnfold.wiring import build_store
from turnfold_workers.summarize import Workshop, run_job

REDIS: Any = redis.Redis  # the types of its methods are full of holes
COMMAND_SECONDS = 30.0
MESSAGES = 16
POLICY: dict[str, Any] = {
    "strategy": "summarization",
    "trigger": {"tokens_exceed": 400},
    "target": {"tokens_below": 200},
    "min_source_tokens": 100,
}
FILLER = (
    "A parcel was handed in at the counter, weighed, labelled and sent on to the next depot on its way to its owner."
)


@pytest.fixture(scope="module")
def store() -> Iterator[EmbeddedServer]:
    with EmbeddedServer() as server:
        yield server


@pytest.fixture
def client(store: EmbeddedServer) -> Iterator[Any]:
    """A look into the store; what a test has put there is gone after it."""
    with REDIS.from_url(store.redis_url, decode_responses=True) as opened:
        yield opened
        opened.flushdb()


def turnfold(store: EmbeddedServer, *arguments: str, width: str = "200") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "turnfold", *arguments],
        env={**os.environ, "TURNFOLD_REDIS_URL": store.redis_url, "COLUMNS": width},
        capture_output=True,
        text=True,
        timeout=COMMAND_SECONDS,
        check=False,
    )


def folded_session(store: EmbeddedServer, session: str, *, tenant: str = "default") -> SessionKey:
    """A session with a summary, made by the service and a worker's function in this process."""

    async def fold(service: TurnfoldService) -> None:
        await service.create(session, policy=Policy.parse(POLICY))
        roles = ("user", "assistant")
        said = [{"role": roles[n % 2], "content": f"Message {n}: {FILLER}"} for n in range(MESSAGES)]
        job = (await service.append(session, said)).job
        assert job is not None
        assert await run_job(workshop(service), str(job["id"])) is None

    with_service(store, fold, tenant=tenant)
    return SessionKey(tenant, session)


def with_service(
    store: EmbeddedServer, work: Callable[[TurnfoldService], Awaitable[None]], *, tenant: str = "default"
) -> None:
    async def opened() -> None:
        service = TurnfoldService(
            store=build_store(Settings(redis_url=store.redis_url)), queue=MemoryQueue(),
            policy=Policy.default(), ttl_seconds=3600, tenant=tenant,
        )  # fmt: skip
        try:
            await work(service)
        finally:
            await service.close()

    asyncio.run(opened())


def workshop(service: TurnfoldService) -> Workshop:
    return Workshop(
        store=service.store,
        summarizer=ExtractiveSummarizer(),
        policy=service.policy,
        worker="test",
        lease_seconds=10,
        retries=RetryPolicy(),
    )


def test_inspect_shows_groups_counts_and_where_each_summary_came_from(store: EmbeddedServer, client: Any) -> None:
    key = folded_session(store, "s-1")

    answer = turnfold(store, "inspect", "s-1", "--json")

    assert answer.returncode == 0, answer.stderr
    picture = jsonio.loads(answer.stdout)
    (summary,) = [group for group in picture["groups"] if group["kind"] == "summary"]
    (record,) = picture["summaries"]
    hidden = [group for group in picture["groups"] if not group["included"]]
    assert picture["session"] == "s-1"
    assert picture["revision"] == int(client.hget(keys.head(key), "revision"))
    assert picture["pending_job"] is None
    assert picture["counts"]["all"]["messages"] == MESSAGES
    assert [group["id"] for group in hidden] == summary["summary_of"]
    assert {group["summarized_by"] for group in hidden} == {summary["id"]}
    assert {group["reason"] for group in hidden} == {"summarization"}
    assert (record["id"], record["model"], record["job"]) == (summary["id"], "extractive", summary["id"][8:])
    assert record["positions"] == [position for group in hidden for position in group["messages"]]


def test_inspect_draws_a_table_for_people(store: EmbeddedServer, client: Any) -> None:
    assert client.ping()
    folded_session(store, "s-1")

    answer = turnfold(store, "inspect", "s-1")

    assert answer.returncode == 0, answer.stderr
    assert "stands for" in answer.stdout
    assert "pending job: none" in answer.stdout


def test_what_is_read_by_a_program_is_not_cut_to_the_width_of_a_screen(store: EmbeddedServer, client: Any) -> None:
    assert client.ping()
    folded_session(store, "s-1")
    picture = jsonio.loads(turnfold(store, "inspect", "s-1", "--json").stdout)
    (summary,) = [group for group in picture["groups"] if group["kind"] == "summary"]

    answer = turnfold(store, "inspect", "s-1", width="40")

    folded = [line for line in answer.stdout.splitlines() if f"summarization → {summary['id']}" in line]
    assert len(folded) == len(summary["summary_of"])
    assert "…" not in answer.stdout


@pytest.mark.parametrize("command", [("inspect", "s"), ("audit", "--all")])
def test_a_tenant_that_is_no_text_is_told_in_one_line(store: EmbeddedServer, command: tuple[str, ...]) -> None:
    answer = turnfold(store, *command, "--tenant", "\udcff")

    assert (answer.returncode, answer.stderr) == (2, "turnfold: --tenant: must be valid UTF-8\n")


@pytest.mark.parametrize("command", ["inspect", "audit"])
def test_a_session_that_is_not_there_is_told_in_one_line(store: EmbeddedServer, command: str) -> None:
    answer = turnfold(store, command, "nobody")

    assert answer.returncode == 2
    assert (answer.stdout, answer.stderr) == ("", "turnfold: there is no session 'nobody'\n")


def test_audit_of_whole_sessions_exits_with_0(store: EmbeddedServer, client: Any) -> None:
    assert client.ping()
    for name in ("s-1", "s-2", "s-3"):
        folded_session(store, name)

    one, every = turnfold(store, "audit", "s-1"), turnfold(store, "audit", "--all")

    assert (one.returncode, one.stdout) == (0, "1 sessions checked, 0 with a broken promise\n")
    assert (every.returncode, every.stdout) == (0, "3 sessions checked, 0 with a broken promise\n")


def test_audit_asks_for_one_tenants_sessions(store: EmbeddedServer, client: Any) -> None:
    folded_session(store, "ours")
    client.rpop(keys.log(folded_session(store, "theirs", tenant="other")))

    ours, theirs = turnfold(store, "audit", "--all"), turnfold(store, "audit", "--all", "--tenant", "other")

    assert ours.stdout == "1 sessions checked, 0 with a broken promise\n"
    assert theirs.returncode == 1


def lose_a_message(client: Any, key: SessionKey) -> None:
    client.rpop(keys.log(key))


def double_a_message(client: Any, key: SessionKey) -> None:
    client.lset(keys.log(key), 1, client.lindex(keys.log(key), 2))


def lose_the_summary(client: Any, key: SessionKey) -> None:
    view = jsonio.loads(client.get(keys.view(key)))
    client.set(keys.view(key), jsonio.dumps(view | {"made": []}))


def forget_what_was_hidden(client: Any, key: SessionKey) -> None:
    client.delete(keys.view(key))


def miscount(client: Any, key: SessionKey) -> None:
    state = jsonio.loads(client.hget(keys.head(key), "state"))
    state["all"]["tokens"] += 1
    client.hset(keys.head(key), "state", jsonio.dumps(state))


def wait_for_no_job(client: Any, key: SessionKey) -> None:
    client.hset(keys.head(key), "pending_job", f"{key.shard:03d}-gone")


def wait_for_an_ended_job(client: Any, key: SessionKey) -> None:
    (job,) = (name for name in client.zrange(keys.owned(key), 0, -1) if ":job:" in name)
    client.hset(keys.head(key), "pending_job", job.rpartition(":")[2])


@pytest.mark.parametrize(
    ("break_it", "promise", "words"),
    [
        (lose_a_message, "log", "without a message: [16]"),
        (double_a_message, "log", "ids that occur twice"),
        (lose_the_summary, "coverage", "other groups than the log"),
        (forget_what_was_hidden, "coverage", "other groups than the log"),
        (miscount, "counts", "all: the head says"),
        (wait_for_no_job, "jobs", "does not exist"),
        (wait_for_an_ended_job, "jobs", "is succeeded"),
    ],
)
def test_audit_of_a_broken_session_names_the_promise_and_exits_with_1(
    store: EmbeddedServer, client: Any, break_it: Callable[[Any, SessionKey], None], promise: str, words: str
) -> None:
    folded_session(store, "whole")
    break_it(client, folded_session(store, "broken"))

    answer = turnfold(store, "audit", "--all")

    *findings, total = answer.stdout.splitlines()
    assert answer.returncode == 1, answer.stderr
    assert total == "2 sessions checked, 1 with a broken promise"
    assert all(line.startswith("broken: ") for line in findings)
    assert any(line.startswith(f"broken: {promise}: ") and words in line for line in findings), findings
    assert answer.stderr == ""


def test_audit_tells_programs_in_json(store: EmbeddedServer, client: Any) -> None:
    folded_session(store, "whole")
    lose_a_message(client, folded_session(store, "broken"))

    answer = turnfold(store, "audit", "whole", "broken", "--json")

    found = jsonio.loads(answer.stdout)["sessions"]
    assert answer.returncode == 1
    assert found["whole"] == []
    assert found["broken"][0].startswith("log: ")


def test_audit_without_a_session_or_a_store_says_what_is_missing(store: EmbeddedServer) -> None:
    nothing_named = turnfold(store, "audit")
    no_store = subprocess.run(
        [sys.executable, "-m", "turnfold", "audit", "--all"], capture_output=True, text=True, timeout=30, check=False
    )

    assert (nothing_named.returncode, no_store.returncode) == (2, 2)
    assert "--all" in nothing_named.stderr
    assert "TURNFOLD_REDIS_URL" in no_store.stderr
    assert len(no_store.stderr.splitlines()) == 1
