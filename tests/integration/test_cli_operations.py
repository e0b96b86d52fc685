"""The operator's commands on a real store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.cli_store import do_pending_job, on_store, refused, told, turnfold
from tests.support.sessions import EAGER, said
from turnfold import jsonio
from turnfold.embedded import EmbeddedServer
from turnfold.policy import Policy
from turnfold.service import TurnfoldService
from turnfold.sessions.job import JobState


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddedServer]:
    with EmbeddedServer() as started:
        yield started


@pytest.fixture
def url(server: EmbeddedServer) -> str:
    """The address of a store that is empty."""
    on_store(server.redis_url, lambda service: service.store.client.flushdb())  # type: ignore[attr-defined]  # Redis's
    return server.redis_url


def folded(url: str, session: str = "s") -> str:
    """Makes a session with a summary; the summary's id."""

    async def fold(service: TurnfoldService) -> str:
        await service.append(session, said(8))
        await do_pending_job(service, session)
        (summary,) = await service.store.summaries(service.key(session))
        return summary

    return on_store(url, fold, policy=EAGER)


def test_unfold_takes_a_summary_back(url: str) -> None:
    summary = folded(url)

    done = turnfold(url, "unfold", "s", summary)

    assert (done.returncode, done.stdout) == (0, f"{summary} is taken back: 5 messages show again.\n"), done.stderr
    assert all(group["included"] for group in told(turnfold(url, "inspect", "s", "--json"))["groups"])
    assert "no summary" in refused(turnfold(url, "unfold", "s", summary))
    assert "no session" in refused(turnfold(url, "unfold", "none", summary))


def dead_job(url: str, session: str = "s") -> str:
    """A session's job that is not tried again."""

    async def bury(service: TurnfoldService) -> str:
        await service.append(session, said(8))
        job = await service.store.claim((await service.session(session)).pending_job, "w", 60_000)
        assert job is not None
        await service.store.finish(job, JobState.DEAD, reason="refused", error="[b]400[/b]", plan_at_tokens=0)
        return job.id

    return on_store(url, bury, policy=EAGER)


def test_jobs_are_listed_with_state_age_tries_and_error(url: str) -> None:
    dead = dead_job(url)
    folded(url, "other")

    listed = told(turnfold(url, "jobs", "list", "--json"))["jobs"]
    only_dead = told(turnfold(url, "jobs", "list", "--state", "dead", "--json"))["jobs"]
    table = turnfold(url, "jobs", "list").stdout

    assert {job["session"] for job in listed} == {"s", "other"}
    assert [(job["id"], job["state"], job["tries"], job["error"]) for job in only_dead] == [
        (dead, "dead", 1, "[b]400[/b]")
    ]
    assert 0 <= only_dead[0]["age_seconds"] < 60
    for word in (dead, "dead", "succeeded", "[b]400[/b]", "2 jobs"):
        assert word in table


def test_a_dead_job_is_shown_tried_again_and_cancelled(url: str) -> None:
    dead = dead_job(url)

    assert "[b]400[/b]" in turnfold(url, "jobs", "show", dead).stdout
    assert told(turnfold(url, "jobs", "show", dead, "--json"))["state"] == "dead"
    (queued,) = told(turnfold(url, "jobs", "retry", dead, "--json"))["jobs"]
    assert (queued["state"], queued["tries"]) == ("queued", 0)
    assert "cancelled" in turnfold(url, "jobs", "cancel", dead).stdout
    assert "cancelled" in refused(turnfold(url, "jobs", "retry", dead))
    assert "no job" in refused(turnfold(url, "jobs", "show", "000-none"))
    assert "--state" in refused(turnfold(url, "jobs", "list", "--state", "lost"))


def due_session(url: str, session: str) -> None:
    """A session in which a summary is due since it was given another policy."""

    async def make(service: TurnfoldService) -> None:
        await service.append(session, said(8))
        await service.update(session, policy=Policy.parse(EAGER).json)

    on_store(url, make)


def test_a_sweep_tells_what_it_would_enqueue_and_then_enqueues_it(url: str) -> None:
    due_session(url, "a")
    due_session(url, "b")
    price = {"TURNFOLD_SUMMARY_INPUT_PRICE": "1000"}

    dry = told(turnfold(url, "sweep", "--dry-run", "--json", **price))
    idle = told(turnfold(url, "sweep", "--idle", "10m", "--dry-run", "--json"))
    words = turnfold(url, "sweep", "--dry-run", **price).stdout
    swept = told(turnfold(url, "sweep", "--limit", "1", "--json"))
    jobs = told(turnfold(url, "jobs", "list", "--json"))["jobs"]
    rest = told(turnfold(url, "sweep", "--tenant", "default", "--json"))

    assert (dry["due"], dry["enqueued"], idle["due"]) == (2, 0, 0)
    assert dry["estimated_cost"] == pytest.approx(dry["estimated_tokens"] / 1000, rel=0.3)
    assert words.startswith("2 due, nothing was enqueued (dry run); about ")
    assert (swept["due"], swept["enqueued"], len(jobs)) == (2, 1, 1)
    assert rest["enqueued"] in (1, 2)  # where no worker has come to the first one by now, that is sent again
    assert len(told(turnfold(url, "jobs", "list", "--json"))["jobs"]) == 2
    assert "--idle" in refused(turnfold(url, "sweep", "--idle", "soon"))


STRANGE: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief.", "x": {"list": [], "map": {}, "null": None}},
    {"role": "user", "content": "a\u0000b \ud800 <|endoftext|> 日本\r\n", "n": [10**25, 9007199254740993, 0.1, -0.0]},
    {"content": [{"type": "text", "text": "[Summary] not one"}], "role": "user", "id": "mine"},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "a", "content": ""},
    {"role": "user", "content": "yes"},
    {"role": "user", "content": "yes"},
]


@pytest.mark.parametrize("lines", [False, True])
def test_a_conversation_goes_in_and_comes_out_as_it_was(url: str, tmp_path: Path, lines: bool) -> None:
    file = tmp_path / "talk.json"
    file.write_bytes(b"\n".join(map(jsonio.dumps, STRANGE)) if lines else jsonio.dumps({"messages": STRANGE}))

    done = told(turnfold(url, "import", str(file), "--session", "a", "--json"))
    out = turnfold(url, "export", "a", *(["--jsonl"] if lines else []))
    again = turnfold(url, "import", "-", "--session", "b", given=out.stdout)
    second = turnfold(url, "export", "b")

    assert (done["first"], done["last"], done["job"]) == (1, 7, None)
    read = [jsonio.loads(line) for line in out.stdout.splitlines()] if lines else jsonio.loads(out.stdout)
    assert jsonio.dumps(read) == jsonio.dumps(STRANGE)
    assert again.stdout == "7 messages were imported into b, positions 1 to 7\n", again.stderr
    assert jsonio.dumps(jsonio.loads(second.stdout)) == jsonio.dumps(STRANGE)


def test_a_large_conversation_goes_in_and_comes_out_whole(url: str) -> None:
    talk = jsonio.dumps(said(12_000))

    done = told(turnfold(url, "import", "-", "--session", "a", "--json", given=talk.decode()))

    assert (done["first"], done["last"]) == (1, 12_000)
    assert done["job"]
    assert jsonio.loads(turnfold(url, "export", "a").stdout) == said(12_000)


def test_only_conversations_go_in_and_only_into_sessions_without_messages(url: str) -> None:
    assert "no session" in refused(turnfold(url, "export", "none"))
    assert "role" in refused(turnfold(url, "import", "-", "--session", "a", given='[{"role": "king"}]'))
    assert "none to import" in refused(turnfold(url, "import", "-", "--session", "a", given="[]"))
    assert "no-such-file" in refused(turnfold(url, "import", "no-such-file", "--session", "a"))
    one = '[{"role": "user", "content": "x"}]'
    assert turnfold(url, "import", "-", "--session", "a", given=one).returncode == 0
    assert "1 messages already" in refused(turnfold(url, "import", "-", "--session", "a", given=one))
    assert turnfold(url, "import", "-", "--session", "a", "--add", given=one).returncode == 0
    assert len(jsonio.loads(turnfold(url, "export", "a").stdout)) == 2


def test_an_empty_session_is_exported_as_no_messages(url: str) -> None:
    on_store(url, lambda service: service.create("a"))
    assert turnfold(url, "export", "a").stdout == "[]\n"
    assert turnfold(url, "export", "a", "--jsonl").stdout == ""


def test_keys_are_made_listed_and_revoked(url: str) -> None:
    made = told(turnfold(url, "keys", "make", "acme", "--read-only", "--name", "the dashboard", "--json"))
    plain = turnfold(url, "keys", "make")
    listed = told(turnfold(url, "keys", "list", "--json", TURNFOLD_API_KEYS="one:secret"))["keys"]

    assert made["key"].startswith("tf_")
    assert plain.returncode == 0
    (secret,) = plain.stdout.splitlines()
    assert "is not shown again" in plain.stderr
    assert {(key["tenant"], key["may_write"], key["source"]) for key in listed} == {
        ("acme", False, "store"), ("default", True, "store"), ("one", True, "TURNFOLD_API_KEYS"),
    }  # fmt: skip
    table = turnfold(url, "keys", "list").stdout
    assert "the dashboard" in table
    assert secret not in table
    assert made["key"] not in table

    assert "acme is revoked" in turnfold(url, "keys", "revoke", made["id"]).stdout
    assert told(turnfold(url, "keys", "revoke", secret, "--json"))["tenant"] == "default"
    assert told(turnfold(url, "keys", "list", "--json"))["keys"] == []
    assert "no key" in refused(turnfold(url, "keys", "revoke", made["id"]))
    set_key = next(key["id"] for key in listed if key["tenant"] == "one")
    assert "TURNFOLD_API_KEYS" in refused(turnfold(url, "keys", "revoke", set_key, TURNFOLD_API_KEYS="one:secret"))
    assert "tenant" in refused(turnfold(url, "keys", "make", "a:b"))
    assert "TURNFOLD_REDIS_URL" in refused(turnfold(None, "keys", "list"))
