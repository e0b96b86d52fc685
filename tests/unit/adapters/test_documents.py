"""The README shows of each framework what its page shows; pages' snippets run where their framework is installed."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "docs/how-to/adapters").glob("*.md")}
NAMES = {
    "openai-agents": "openai-agents",
    "Agent Framework": "agent-framework",
    "LangChain": "langchain",
    "pydantic-ai": "pydantic-ai",
}
FENCED = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def _lines_of_the_readme() -> list[tuple[str, str]]:
    section = (ROOT / "README.md").read_text(encoding="utf-8").partition("## In a framework")[2]
    (snippet, *_) = FENCED.findall(section)
    return [(line.partition("  # ")[0], line.partition("  # ")[2]) for line in snippet.splitlines()]


@pytest.mark.parametrize(("line", "framework"), _lines_of_the_readme())
def test_the_readme_shows_what_the_page_shows(line: str, framework: str) -> None:
    assert line in PAGES[NAMES[framework]]


def test_each_adapter_has_an_extra_with_lower_and_upper_bounds() -> None:
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras: dict[str, list[str]] = project["optional-dependencies"]
    assert set(PAGES) <= set(extras)
    for name in PAGES:
        ours, *theirs = extras[name]
        assert ours.startswith("turnfold[")
        assert all(re.fullmatch(r"[\w-]+>=[\d.]+,<[\d.]+", one) for one in theirs)


@pytest.mark.parametrize("page", PAGES)
def test_each_page_names_its_extra_and_its_snippets_are_python(page: str) -> None:
    assert f"pip install 'turnfold[{page}]'" in PAGES[page]
    snippets = FENCED.findall(PAGES[page])
    assert snippets
    for snippet in snippets:
        ast.parse(snippet)


@pytest.mark.parametrize("module", ["openai_agents", "agent_framework", "langchain", "pydantic_ai"])
def test_each_page_names_all_that_its_adapter_offers(module: str) -> None:
    source = (ROOT / "shared/turnfold/adapters" / module / "__init__.py").read_text(encoding="utf-8")
    names: list[str] = ast.literal_eval(source.partition("__all__ = ")[2])
    page = PAGES[module.replace("_", "-")]
    assert [name for name in names if name not in page and name != "PolicyStrategy"] == []
