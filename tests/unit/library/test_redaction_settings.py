"""Settings for signing and for redaction, and what is made of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import SecretStr

from turnfold.errors import BadInput
from turnfold.protection import build_redactor, build_signer, with_redaction
from turnfold.provenance import Owner
from turnfold.redaction.marks import Marks
from turnfold.redaction.redacting import RedactingSummarizer
from turnfold.settings import Settings
from turnfold.summaries.extractive import ExtractiveSummarizer
from turnfold.summaries.summarizer import SummaryReply, SummaryRequest
from turnfold.wiring import check_settings

TEXT = "ana@example.com ordered DK-99812"


class Model:
    name = "model"

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        return SummaryReply(text="", model="m")


def test_nothing_is_signed_and_nothing_redacted_unless_it_is_set() -> None:
    assert not build_signer(Settings())
    assert build_redactor(Settings()) is None


def test_keys_are_separated_by_commas_and_the_first_signs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TURNFOLD_SECRET_KEYS", "the new key of 2031, the old key of 2030 ,")
    whose = Owner("t", "s", "i")

    signature = build_signer(Settings()).sign(whose, {"text": "x"})

    only_new = build_signer(Settings(secret_keys=SecretStr("the new key of 2031")))
    assert signature == only_new.sign(whose, {"text": "x"})


def test_a_key_that_is_no_secret_is_refused_and_not_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TURNFOLD_SECRET_KEYS", "the new key of 2031,hunter2")

    with pytest.raises(BadInput, match="TURNFOLD_SECRET_KEYS: must be keys of 16 characters") as refused:
        Settings()
    assert "hunter2" not in str(refused.value)


def test_what_is_redacted_is_named_or_given_as_patterns_in_a_file_too(tmp_path: Path) -> None:
    file = tmp_path / "patterns.json"
    file.write_text(r'{"order": "DK-\\d+"}')
    for patterns in (str(file), file.read_text()):
        redactor = build_redactor(Settings(redact="email", redact_patterns=patterns))
        assert redactor is not None
        marks = Marks()
        redactor.text(TEXT, marks)
        assert sorted(marks.new.values()) == ["DK-99812", "ana@example.com"]


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"redact": "email,names"}, "TURNFOLD_REDACT: 'names' is not known"),
        ({"redact_patterns": "/no/such/file"}, "TURNFOLD_REDACT_PATTERNS: is neither JSON nor a file"),
        ({"redact_patterns": "{]"}, "TURNFOLD_REDACT_PATTERNS: is neither JSON nor a file"),
        ({"redact_patterns": '{"a": 1}'}, "TURNFOLD_REDACT_PATTERNS: must be an object of regular expressions"),
        ({"redact_patterns": '{"a": "("}'}, "TURNFOLD_REDACT_PATTERNS.a: is no regular expression"),
    ],
)
def test_a_wrong_setting_is_named_when_a_part_starts(wrong: dict[str, str], named: str) -> None:
    with pytest.raises(BadInput) as refused:
        check_settings(Settings.model_validate(wrong))
    assert named in str(refused.value)


def test_in_place_too_a_model_sees_no_values_and_the_extractive_summarizer_all() -> None:
    settings, extractive = Settings(redact="email"), ExtractiveSummarizer()

    assert isinstance(with_redaction(Model(), settings), RedactingSummarizer)
    assert with_redaction(extractive, settings) is extractive
