"""What the documents point to exists: links, their anchors, and the paths that they name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")
FENCED = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"\.?[\w.-]+(?:/[\w.*-]+)+/?")
HEADING = re.compile(r"^#+\s+(.*?)\s*#*$", re.MULTILINE)
# The folders whose contents documents may name; a path below one of them must exist.
FOLDERS = {".ci", "api", "benchmarks", "deploy", "docs", "examples", "shared", "tests", "workers"}
PLACEHOLDER = "NNNN"


def _name(document: Path) -> str:
    return document.relative_to(ROOT).as_posix()


def _prose(document: Path) -> str:
    return FENCED.sub("", document.read_text(encoding="utf-8"))


def _links(document: Path) -> Iterator[str]:
    for target in LINK.findall(CODE.sub("", _prose(document))):
        if not re.match(r"[a-z]+:", target):
            yield target


def _paths(document: Path) -> Iterator[str]:
    for code in CODE.findall(_prose(document)):
        for word in code.split():
            if PATH.fullmatch(word) and word.split("/")[0] in FOLDERS and PLACEHOLDER not in word:
                yield word


def _anchors(document: Path) -> set[str]:
    """The ids that a forge gives to headings: lower case, words joined by hyphens, no other signs."""
    headings = HEADING.findall(FENCED.sub("", document.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def _is_broken(document: Path, target: str) -> bool:
    path, _, anchor = target.partition("#")
    linked = (document.parent / path).resolve() if path else document
    if not linked.exists():
        return True
    return bool(anchor) and linked.suffix == ".md" and anchor not in _anchors(linked)


@pytest.mark.parametrize("document", DOCUMENTS, ids=_name)
def test_every_link_leads_somewhere(document: Path) -> None:
    broken = [target for target in _links(document) if _is_broken(document, target)]

    assert not broken, f"{_name(document)} links to what does not exist: {', '.join(broken)}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=_name)
def test_every_path_that_is_named_exists(document: Path) -> None:
    missing = [path for path in _paths(document) if not any(ROOT.glob(path.rstrip("/")))]

    assert not missing, f"{_name(document)} names what does not exist: {', '.join(missing)}"


def test_links_and_paths_are_found_outside_of_code_blocks_only(tmp_path: Path) -> None:
    document = tmp_path / "page.md"
    document.write_text("# A page\n[here](other.md#b) `tests/none.py`\n```\n[no](x.md) `docs/none.md`\n```\n")

    assert list(_links(document)) == ["other.md#b"]
    assert list(_paths(document)) == ["tests/none.py"]


def test_a_missing_heading_breaks_a_link(tmp_path: Path) -> None:
    document = tmp_path / "page.md"
    document.write_text("# The `first` page: one\n")

    assert not _is_broken(document, "#the-first-page-one")
    assert _is_broken(document, "#the-second-page")
    assert _is_broken(document, "nowhere.md")
