"""Replies that SmolLM2-135M really gave when asked for summaries: none passes, whatever reason is found first."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.summaries.talks import cases
from turnfold.summaries.quality_gate import rejection
from turnfold.summaries.summarizer import SummaryReply

HERE = Path(__file__).parent
TALKS = {case.name: case for case in cases(HERE / "good")}
GIVEN: list[dict[str, str]] = json.loads((HERE / "bad" / "small_model.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("given", GIVEN, ids=[f"{number}-{one['of']}" for number, one in enumerate(GIVEN)])
def test_what_a_small_model_wrote_is_refused(given: dict[str, str]) -> None:
    reply = SummaryReply(text=given["reply"], model="smollm2-135m", prompt_version="2")

    assert rejection(reply, TALKS[given["of"]].request) is not None
