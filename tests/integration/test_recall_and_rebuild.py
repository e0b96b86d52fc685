"""A worker, an API and a model's server: what is folded is found again, redacted, signed, and made again on demand."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from tests.support.chat import Chat
from tests.support.live_system import LiveSystem, live_system
from tests.support.model_server import Call, Exchange, Fail, Say
from tests.support.waiting import wait_until
from turnfold import Turnfold, recall_tool, sync
from turnfold.sessions.session_key import SessionKey
from turnfold.settings import Settings
from turnfold.wiring import build_store

KEY = "a key of sixteen characters or more"
MAIL = "ana.brandt@example.com"
PROMPT = "Tell of the parcels alone, in one sentence."
PLAIN = "The user asked where several parcels are, and wants each at depot nine by Friday."
COMMAND_SECONDS = 60.0

pytestmark = pytest.mark.timeout(120)


@dataclass(frozen=True)
class TellMark:
    """A summary with the mark that stands for the address in the request."""

    def give(self, exchange: Exchange, call: Call) -> None:
        mark = re.findall(r"\[EMAIL_\w{4}\]", call.text)[0]
        Say(f"Parcels go to the next depot; the owner is told at {mark}, and wants them by Friday.").give(
            exchange, call
        )


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSystem]:
    env = {"TURNFOLD_SECRET_KEYS": KEY, "TURNFOLD_REDACT": "email,phone"}
    with live_system(tmp_path_factory.mktemp("system"), env=env) as running:
        running.start_worker()
        yield running


def get(system: LiveSystem, path: str, **parameters: str) -> Any:
    answer = httpx.get(f"{system.base_url}{path}", params=parameters, trust_env=False)
    assert answer.status_code == 200, answer.text
    return answer.json()


def turnfold(system: LiveSystem, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "turnfold", *words],
        env=dict(system.env), capture_output=True, text=True, timeout=COMMAND_SECONDS, check=False,
    )  # fmt: skip


def folded(system: LiveSystem) -> Chat:
    """A conversation with a model's summary."""
    chat = system.chat()
    chat.ended_job(chat.append_until_due())
    return chat


def live_summary(system: LiveSystem, chat: Chat) -> Any:
    (shown,) = [one for one in get(system, f"/v1/sessions/{chat.session}/groups", limit="1000")["groups"]
                if one["kind"] == "summary" and one["included"]]  # fmt: skip
    return get(system, f"/v1/sessions/{chat.session}/summaries/{shown['id']}")


def indexed(system: LiveSystem, chat: Chat) -> int:
    async def through() -> int:
        store = build_store(Settings(redis_url=system.store.redis_url))
        index = await store.read_index(SessionKey("default", chat.session), with_data=False)
        await store.close()
        return index.through if index else 0

    return asyncio.run(through())


def test_what_a_worker_folds_it_indexes_and_it_is_found(system: LiveSystem) -> None:
    chat = folded(system)
    wait_until(lambda: indexed(system, chat) == 12, description="the session is indexed")
    chat.append(1, filler="The gardener comes on Thursdays.")

    folded_one = get(system, f"/v1/sessions/{chat.session}/search", q="message 3")["results"][0]
    new_one = get(system, f"/v1/sessions/{chat.session}/search", q="gardener")["results"][0]

    assert (folded_one["message"]["content"], folded_one["folded"]) == (chat.said[3], True)
    assert (new_one["position"], new_one["folded"]) == (13, False)


def test_a_redacted_value_does_not_leave_and_stands_in_the_summary(system: LiveSystem) -> None:
    chat = system.chat()
    system.model.tell(chat.mark, TellMark())
    chat.append(3, filler=f"The owner of the parcel is told at {MAIL}, not by telephone.")

    chat.ended_job(chat.append_until_due())

    assert all(MAIL not in call.text for call in system.model.calls(chat.mark))
    assert f"is told at {MAIL}, and wants" in live_summary(system, chat)["text"]
    assert system.findings(chat) == []


def test_a_summary_is_signed_and_the_audit_checks_that(system: LiveSystem) -> None:
    chat = folded(system)

    assert live_summary(system, chat)["provenance"]["signature"] == "signed"
    done = turnfold(system, "audit", chat.session)
    assert done.returncode == 0, done.stdout
    other = subprocess.run(
        [sys.executable, "-m", "turnfold", "audit", chat.session],
        env={**system.env, "TURNFOLD_SECRET_KEYS": "quite another key of theirs"},
        capture_output=True, text=True, timeout=COMMAND_SECONDS, check=False,
    )  # fmt: skip
    assert other.returncode == 1
    assert "is signed by a key that is not set" in other.stdout


def test_a_rebuild_asks_by_another_prompt_and_model_and_the_new_summary_takes_the_old_ones_place(
    system: LiveSystem,
) -> None:
    chat = folded(system)
    before = live_summary(system, chat)
    system.model.tell(chat.mark, Say(PLAIN))

    done = turnfold(system, "rebuild", chat.session, "--prompt", PROMPT, "--model", "larger-model")

    assert done.returncode == 0, done.stderr
    after = live_summary(system, chat)
    assert after["id"] in done.stdout
    assert PLAIN in after["text"]
    assert (after["summary_of"], after["positions"]) == ([before["id"]], before["positions"])
    assert after["provenance"]["signature"] == "signed"
    call = system.model.calls(chat.mark)[-1]
    assert call.body["model"] == "larger-model"
    assert PROMPT in call.text
    assert before["text"].splitlines()[1] not in call.text
    assert all(text in call.text for text in chat.said[:3])
    assert system.findings(chat) == []


def test_the_old_summary_stays_where_the_model_is_of_no_use(system: LiveSystem) -> None:
    chat = folded(system)
    before = live_summary(system, chat)
    system.model.tell(chat.mark, Say("NONE"), Fail(400))

    done = turnfold(system, "rebuild", chat.session)

    assert done.returncode == 1
    assert "the old one stays" in done.stderr
    assert live_summary(system, chat) == before
    assert system.findings(chat) == []


def test_a_session_without_a_summary_has_nothing_to_rebuild(system: LiveSystem) -> None:
    chat = system.chat()
    chat.append(1)

    done = turnfold(system, "rebuild", chat.session)

    assert (done.returncode, done.stdout.strip()) == (0, "There is no summary to make again.")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("nobody",), "there is no session 'nobody'"),
        (("nobody", "--prompt", "@/no/such/file"), "--prompt: can't read"),
        (("nobody", "--model", " "), "model: must be a text"),
    ],
)
def test_wrong_words_are_told_in_one_line(system: LiveSystem, words: tuple[str, ...], line: str) -> None:
    done = turnfold(system, "rebuild", *words)

    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert line in done.stderr


def test_the_api_asks_for_a_rebuild_too(system: LiveSystem) -> None:
    chat = folded(system)
    system.model.tell(chat.mark, Say(PLAIN))
    url = f"{system.base_url}/v1/sessions/{chat.session}/rebuilds"

    answer = httpx.post(url, json={"model": "larger-model"}, trust_env=False)

    assert answer.status_code == 202
    assert answer.headers["location"] == f"/v1/jobs/{answer.json()['id']}"
    assert chat.ended_job(answer.json()["id"])["state"] == "succeeded"
    assert live_summary(system, chat)["provenance"]["model"] == "small-model"  # what the server says that it was
    assert system.model.calls(chat.mark)[-1].body["model"] == "larger-model"


async def test_from_python_by_the_settings_of_the_environment(
    system: LiveSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = folded(system)
    monkeypatch.setenv("TURNFOLD_REDIS_URL", system.store.redis_url)
    turnfold_here = Turnfold.from_env()

    hits = await turnfold_here.search(chat.session, "message 3", limit=2)
    told = await recall_tool(chat.session).call('{"query": "message 3"}')

    await turnfold_here.close()
    assert hits[0].message["content"] == chat.said[3]
    assert f"[4] assistant: {chat.said[3]}" in told


def test_and_without_async(system: LiveSystem) -> None:
    chat = folded(system)
    plain = sync.Turnfold(redis_url=system.store.redis_url)

    hits = plain.search(chat.session, "message 3")

    plain.close()
    assert hits[0].message["content"] == chat.said[3]
