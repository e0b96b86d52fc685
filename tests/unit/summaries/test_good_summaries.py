"""Good summaries pass: in many languages, with code, with tables, with values written in other forms."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.summaries.talks import Case, cases
from turnfold.summaries.quality_gate import rejection
from turnfold.summaries.summarizer import SummaryReply

GOOD = cases(Path(__file__).with_name("good"))
MOST_FALSELY_REJECTED = 1 / 50


def judged(case: Case) -> str | None:
    return rejection(SummaryReply(text=case.reply, model="a-model", prompt_version="2"), case.request)


def test_the_set_is_large_and_of_many_languages() -> None:
    assert len(GOOD) >= 50
    for language in ("english", "chinese", "german", "arabic", "code_and_tables"):
        assert sum(case.name.startswith(language) for case in GOOD) >= 7


def test_at_most_one_in_fifty_is_falsely_rejected() -> None:
    refused = {case.name: str(reason) for case in GOOD if (reason := judged(case))}

    assert len(refused) <= MOST_FALSELY_REJECTED * len(GOOD), refused


@pytest.mark.parametrize("language", ["english", "chinese", "german", "arabic"])
def test_none_of_the_most_spoken_languages_is_refused_more_than_others(language: str) -> None:
    assert not [case.name for case in GOOD if case.name.startswith(language) and judged(case)]
