"""What the page about the Agent Framework shows runs."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("agent_framework", reason="agent-framework is not installed here: `make adapters` runs this")

from tests.adapters.agent_framework.framework_talk import FrameworkTalk, ScriptedClient, lookup
from tests.adapters.pages import assert_page_talks


async def test_the_snippets_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    talk = FrameworkTalk(tmp_path, None)
    names = {"client": ScriptedClient(talk), "lookup": lookup}
    await assert_page_talks("agent-framework.md", talk, names, monkeypatch)
