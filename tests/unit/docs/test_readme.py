"""The README tells the truth: its snippets run, its commands and settings exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from turnfold.cli.app import app
from turnfold.settings import Settings

ROOT = Path(__file__).parents[3]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
SHELL = [line.strip() for kind, text in SNIPPETS if kind == "sh" for line in text.splitlines() if line.strip()]
PYTHON = [text for kind, text in SNIPPETS if kind == "python"]
COMMANDS = [line for line in SHELL if line.startswith(".venv/bin/turnfold")]


def _options(*names: str) -> set[str]:
    group: Any = typer.main.get_command(app)
    for name in names:
        group = group.commands[name]
    return {option for parameter in group.params for option in parameter.opts}


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_of_the_readme_exists_with_its_options(line: str) -> None:
    words = line.partition("#")[0].split()[1:]
    names = words[:2] if words[0] == "policy" else words[:1]
    told = {word for word in words if word.startswith("--") and word != "--all"}
    assert told <= _options(*names)


@pytest.mark.parametrize("target", sorted({word for line in SHELL for word in re.findall(r"^make (\w+)", line)}))
def test_every_make_target_of_the_readme_exists(target: str) -> None:
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def test_every_setting_is_in_the_table_and_every_setting_of_the_table_exists() -> None:
    told = set(re.findall(r"`TURNFOLD_(\w+)`", README.partition("| setting |")[2]))
    assert told == {name.upper() for name in Settings.model_fields}


def test_the_table_tells_the_defaults() -> None:
    for name in (
        "SUMMARY_TIMEOUT_SECONDS",
        "LEASE_SECONDS",
        "SESSION_TTL_SECONDS",
        "SWEEP_INTERVAL_SECONDS",
        "MAX_BODY_BYTES",
    ):
        default = Settings.model_fields[name.lower()].default
        told = re.search(rf"`TURNFOLD_{name}` \| (\d+)", README)
        assert told is not None
        assert int(told.group(1)) == default


@pytest.mark.parametrize("text", [text for text in PYTHON if "asyncio.run" in text])
def test_a_snippet_that_needs_no_server_runs(text: str) -> None:
    subprocess.run([sys.executable, "-c", text], check=True, timeout=30)


async def test_the_snippet_for_a_chat_backend_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    from types import SimpleNamespace

    from openai.types.chat import ChatCompletion

    from turnfold.embedded import EmbeddedServer

    (text,) = (text for text in PYTHON if "reply_to" in text)
    answer = {
        "id": "c", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "On Monday."}}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12},
    }  # fmt: skip

    async def create(**_: object) -> ChatCompletion:
        return ChatCompletion.model_validate(answer)

    with EmbeddedServer() as server:
        monkeypatch.setenv("TURNFOLD_REDIS_URL", server.redis_url)
        client = SimpleNamespace(chat=SimpleNamespace(completions=SimpleNamespace(create=create)))
        names: dict[str, Any] = {"openai_client": client}
        exec(compile(text, "README", "exec"), names)
        reply_to, tf = names["reply_to"], names["tf"]
        assert await reply_to("user-42", "Where is my crate?") == "On Monday."
        turn = await tf.context("user-42")
        assert [message["role"] for message in turn.messages] == ["user", "assistant"]
        await tf.close()
