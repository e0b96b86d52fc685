"""A setting that can't be is refused by its name, with what it can be; all of them are in the help."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from turnfold.errors import BadInput
from turnfold.settings import Settings

NUMBERS = [
    name for name, field in Settings.model_fields.items() if field.annotation is int or field.annotation is float
]
NO_NUMBERS = ["nan", "inf", "-inf", "-1", "0", "1e300", "9" * 30, "abc", "0x10", "true", "1,5"]
# Nothing may cost nothing, and a limit may be none.
FREE = [(name, "0") for name in NUMBERS if name.endswith(("_price", "_per_minute", "_concurrency", "_turns"))]
NO_URLS = ["nonsense", "ftp://host/v1", "http://", "http://host:notaport/v1", "http://[::1/v1", "host:8000/v1"]
NO_HOSTS = ["http://a.example", "a.example:80", "a.example/x", "*", "a b", "a.example,,b.example"]


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("value", NO_NUMBERS)
def test_a_number_that_can_not_be_is_refused_with_what_it_can_be(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if (name, value) in FREE:
        pytest.skip("may be 0")
    monkeypatch.setenv(f"TURNFOLD_{name.upper()}", value)

    with pytest.raises(BadInput, match=r"must be a (whole )?number .* at most") as refused:
        Settings()

    assert refused.value.path == f"TURNFOLD_{name.upper()}"
    assert "Input" not in refused.value.message


@pytest.mark.parametrize("name", Settings.model_fields)
def test_a_value_in_another_encoding_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"TURNFOLD_{name.upper()}", "secret \udcff")

    with pytest.raises(BadInput) as refused:
        Settings()

    assert str(refused.value) == f"TURNFOLD_{name.upper()}: must be valid UTF-8"


@pytest.mark.parametrize(
    ("name", "value", "mend"),
    [
        ("LOG_FORMAT", "xml", "must be json or text, not 'xml'"),
        ("SUMMARY_MAX_TOKENS_FIELD", "x", "must be max_completion_tokens or max_tokens, not 'x'"),
        ("SUMMARY_STRUCTURED_OUTPUT", "perhaps", "must be true or false, not 'perhaps'"),
        ("LEASE_SECONDS", "-3", "must be a number above 0 and at most 3600, not '-3'"),
        ("MAX_BODY_BYTES", "1.5", "must be a whole number above 0 and at most 536870912, not '1.5'"),
    ],
)
def test_what_is_wrong_is_told_with_the_mend(name: str, value: str, mend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"TURNFOLD_{name}", value)

    with pytest.raises(BadInput) as refused:
        Settings()

    assert refused.value.message == mend


@pytest.mark.parametrize("name", ["OPENAI_BASE_URL", "UPSTREAM_BASE_URL"])
@pytest.mark.parametrize("value", NO_URLS)
def test_an_address_of_a_model_that_can_not_be_is_refused(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"TURNFOLD_{name}", value)

    with pytest.raises(BadInput, match="must be http://HOST:PORT/v1, or https://") as refused:
        Settings()

    assert refused.value.path == f"TURNFOLD_{name}"


@pytest.mark.parametrize("value", NO_HOSTS)
def test_a_host_that_can_not_be_is_refused(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TURNFOLD_ALLOWED_HOSTS", value)

    with pytest.raises(BadInput, match="names of hosts, comma-separated, without ports"):
        Settings()


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "UPSTREAM_API_KEY"])
@pytest.mark.parametrize("value", ["se\ncret", "se cret", "sëcret"])
def test_a_key_that_no_header_can_carry_is_refused_and_not_told(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"TURNFOLD_{name}", value)

    with pytest.raises(BadInput) as refused:
        Settings()

    assert refused.value.path == f"TURNFOLD_{name}"
    assert "cret" not in refused.value.message


def test_a_wrong_policy_names_the_setting_the_file_and_the_place_in_it(tmp_path: Path) -> None:
    file = tmp_path / "policy.json"
    file.write_text('{"strategy": "pipeline", "strategies": [{"strategy": "x"}]}', encoding="utf-8")

    done = _turnfold("audit", "--all", TURNFOLD_POLICY=str(file), TURNFOLD_REDIS_URL="redis://127.0.0.1:1")

    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith(f"turnfold: TURNFOLD_POLICY: {file}: strategies[0].strategy: 'x' is not a strategy")


def test_every_setting_is_in_the_help_with_default_and_meaning() -> None:
    told = " ".join(_turnfold("--help").stdout.split())

    for name, field in Settings.model_fields.items():
        assert f"TURNFOLD_{name.upper()} " in told
        assert " ".join(str(field.description).split()) in told
    assert "How long a job is held by a worker that has gone silent. [default: 10]" in told


@pytest.mark.parametrize("words", [("api", "--help"), ("worker", "--help"), ("up", "--help"), ("audit", "--help")])
def test_the_help_of_a_command_says_where_the_settings_are(words: tuple[str, ...]) -> None:
    assert "turnfold --help" in _turnfold(*words).stdout


def _turnfold(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "turnfold", *words],
        capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=30, check=False, env={**os.environ, **env},
    )  # fmt: skip
