"""Every example runs as it is, without a key."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.waiting import wait_until
from turnfold.processes import free_port, start_tied

ROOT = Path(__file__).parents[2]
REAL = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL")
BARE = {name: value for name, value in os.environ.items() if name not in REAL and not name.startswith("TURNFOLD_")}
START_SECONDS = 30.0


def output_of(example: str) -> str:
    command = [sys.executable, "-W", "error", "-m", f"examples.{example}"]
    done = subprocess.run(command, cwd=ROOT, env=BARE, capture_output=True, text=True, timeout=50, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_coding_agent_mends_the_code_and_remembers_it_in_its_next_run() -> None:
    told = output_of("coding_agent")
    assert "  run_tests" in told
    assert told.endswith("Nothing is left to do.\npassed\n")


def test_the_nightly_sweep_folds_the_conversations_of_the_day() -> None:
    lines = output_of("nightly_sweep").splitlines()
    sizes = [line.replace(",", "").split() for line in lines if line.startswith("chat-")]
    assert [size[0] for size in sizes] == ["chat-ana", "chat-ben", "chat-cleo"]
    assert all(int(size[3]) < int(size[1]) / 2 for size in sizes)
    assert lines[-1] == "3 summaries"


@pytest.fixture(scope="module")
def bot() -> Iterator[str]:
    port = free_port()
    process = start_tied(
        [sys.executable, "-m", "examples.support_bot", "--port", str(port)],
        cwd=ROOT,
        env=BARE,
        stdout=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"

    def answers() -> bool:
        assert process.poll() is None
        try:
            return httpx.get(f"{url}/openapi.json", trust_env=False).is_success
        except httpx.HTTPError:
            return False

    wait_until(answers, description="the bot answers", timeout_seconds=START_SECONDS)
    yield url
    process.terminate()
    process.wait(10)


def test_the_support_bot_streams_its_replies_and_folds_old_turns(bot: str) -> None:
    with httpx.Client(base_url=bot, trust_env=False, timeout=30) as client:

        def say(text: str) -> list[str]:
            with client.stream("POST", "/chats/ana", json={"text": text}) as reply:
                return [piece for piece in reply.iter_text() if piece]

        def shown() -> list[str]:
            return [str(message.get("content")) for message in client.get("/chats/ana").json()["messages"]]

        pieces = say("Where is DK-99812?")
        assert "".join(pieces).endswith("at sea since Tuesday, expected in Hull on Friday.")
        assert len(pieces) > 1
        for n in range(6):
            say(f"And once more, please, for the {n}th time: where is DK-10007? I have waited for a very long while.")
        wait_until(
            lambda: shown()[0].startswith("[Summary]"), description="a worker folds", timeout_seconds=START_SECONDS
        )
        assert "".join(say("Thank you!")).startswith("I am glad to help.")
