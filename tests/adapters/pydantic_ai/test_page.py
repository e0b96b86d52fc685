"""What the page about pydantic-ai shows runs."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed here: `make adapters` runs this")

from pydantic_ai.models.function import FunctionModel

from tests.adapters.pages import assert_page_talks
from tests.adapters.pydantic_ai.pydantic_talk import PydanticTalk, lookup


async def test_the_snippets_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    talk = PydanticTalk(tmp_path, None)
    names = {"model": FunctionModel(talk._respond), "lookup": lookup}
    await assert_page_talks("pydantic-ai.md", talk, names, monkeypatch)
