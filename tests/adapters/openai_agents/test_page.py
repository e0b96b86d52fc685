"""What the page about openai-agents shows runs."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("agents", reason="openai-agents is not installed here: `make adapters` runs this")

from agents import set_tracing_disabled
from agents.testing import ModelStep, ScriptedModel

from tests.adapters.openai_agents.openai_talk import OpenAITalk, lookup
from tests.adapters.pages import assert_page_talks


async def test_the_snippets_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_tracing_disabled(True)
    monkeypatch.chdir(tmp_path)
    talk = OpenAITalk(tmp_path, None)
    model = ScriptedModel([ModelStep.respond(talk._respond) for _ in range(100)])
    await assert_page_talks("openai-agents.md", talk, {"model": model, "lookup": lookup}, monkeypatch)
