"""What a user sees who mistypes: one line, exit 2, no traceback."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


def _turnfold(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "turnfold", *words],
        capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=30, check=False, env={**os.environ, **env},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("compact",), "--policy"),
        (("compact", "--nope"), "--nope"),
        (("nosuch",), "nosuch"),
        (("audit",), "--all"),
        (("inspect",), "session"),
        (("compact", "--policy", "{}", "--pick", "x"), "--pick"),
        (("compact", "no-such-file", "--policy", '{"strategy": "truncation", "trigger": "never"}'), "no-such-file"),
        (("audit", "--all"), "TURNFOLD_REDIS_URL"),
    ],
)
def test_a_wrong_word_is_told_in_one_line(words: tuple[str, ...], named: str) -> None:
    done = _turnfold(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert named in done.stderr


@pytest.mark.parametrize(
    ("name", "value"),
    [("TURNFOLD_LEASE_SECONDS", "soon"), ("TURNFOLD_LOG_FORMAT", "xml"), ("TURNFOLD_POLICY", "{nope")],
)
def test_a_wrong_setting_is_named(name: str, value: str) -> None:
    done = _turnfold("audit", "--all", **{name: value, "TURNFOLD_REDIS_URL": "redis://127.0.0.1:1"})
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert name in done.stderr or "policy" in done.stderr


def test_an_empty_setting_is_none() -> None:
    done = _turnfold("audit", "--all", TURNFOLD_LEASE_SECONDS="")
    assert "TURNFOLD_REDIS_URL" in done.stderr
