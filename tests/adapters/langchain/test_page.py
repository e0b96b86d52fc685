"""What the page about LangChain shows runs."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("langchain", reason="langchain is not installed here: `make adapters` runs this")

from tests.adapters.langchain.langchain_talk import LangChainTalk, ScriptedChatModel, lookup
from tests.adapters.pages import assert_page_talks


@pytest.mark.filterwarnings("ignore:create_react_agent has been moved")
async def test_the_snippets_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    talk = LangChainTalk(tmp_path, None)
    names = {"model": ScriptedChatModel(talk=talk), "lookup": lookup}
    await assert_page_talks("langchain.md", talk, names, monkeypatch)
