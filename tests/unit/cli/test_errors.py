"""What a user sees who mistypes: one line, exit 2, no traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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


ONE_MESSAGE = '[{"role": "user", "content": "hi"}]'
POLICY = '{"strategy": "truncation", "max_messages": 5}'


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TURNFOLD_LEASE_SECONDS", "nan"),
        ("TURNFOLD_LEASE_SECONDS", "inf"),
        ("TURNFOLD_SUMMARY_TIMEOUT_SECONDS", "-1"),
        ("TURNFOLD_POLICY", '{"strategy": "nosuch"}'),
        ("TURNFOLD_POLICY", "no-such-file.json"),
        ("TURNFOLD_SUMMARIZER", "nosuch"),
        ("TURNFOLD_SUMMARIZER", "no_module:factory"),
        ("TURNFOLD_SUMMARIZER", "shlex:quote"),
        ("TURNFOLD_SUMMARIZER", "json.decoder:nosuch"),
        ("TURNFOLD_SUMMARIZER", ":"),
        ("TURNFOLD_SUMMARY_FALLBACK_MODEL", "\udcff"),
        ("TURNFOLD_OPENAI_BASE_URL", "nonsense"),
        ("TURNFOLD_REDIS_URL", "http://x"),
        ("TURNFOLD_REDIS_URL", "redis://x?socket_timeout=long"),
        ("TURNFOLD_REDIS_URL", "rediss://x?colour=red"),
        ("TURNFOLD_BROKER_URL", "nosuch://x"),
        ("TURNFOLD_API_KEYS", "no-colon"),
        ("TURNFOLD_ALLOWED_HOSTS", "http://x"),
    ],
)
def test_the_whole_system_does_not_start_with_a_setting_that_one_of_its_parts_refuses(name: str, value: str) -> None:
    done = _turnfold("up", "--port", "0", **{name: value})

    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert name in done.stderr


@pytest.mark.parametrize(
    "words",
    [("api", "--port", "0"), ("worker",), ("beat",), ("up", "--port", "0"), ("audit", "--all"), ("inspect", "s")],
)
@pytest.mark.parametrize("url", ["http://x", "redis://x:port", "redis://x?colour=red", "redis://x/first"])
def test_a_store_that_can_not_be_is_refused_by_every_command_in_one_line(words: tuple[str, ...], url: str) -> None:
    done = _turnfold(*words, TURNFOLD_REDIS_URL=url)

    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("turnfold: TURNFOLD_REDIS_URL: ")


def test_a_rebuild_by_a_model_that_is_not_allowed_is_refused_before_the_store_is_asked() -> None:
    done = _turnfold("rebuild", "s", "--model", "dear", TURNFOLD_ALLOWED_MODELS="cheap")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == ["turnfold: --model: 'dear' is not allowed here; allowed: cheap"]


def test_a_number_that_is_too_long_for_others_to_read_is_refused_by_its_path() -> None:
    done = _turnfold("policy", "check", '{"strategy": "truncation", "max_messages": 99999999999999999999999}')

    assert done.returncode == 2
    assert done.stderr.splitlines() == ["turnfold: max_messages: must be a whole number of at most 64 bits"]


@pytest.mark.parametrize("words", [("compact", "--policy", POLICY), ("policy", "show"), ("--help",)])
def test_a_full_disk_is_told_in_one_line(words: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "turnfold", *words],
            input=ONE_MESSAGE, stdout=full, stderr=subprocess.PIPE, text=True, timeout=30, check=False,
        )  # fmt: skip

    assert done.returncode == 2
    assert done.stderr.splitlines() == ["turnfold: the output can't be written: No space left on device"]


@pytest.mark.parametrize(("closed", "code"), [("<&-", 2), (">&-", 0), ("2>&-", 0), ("<&- >&- 2>&-", 2)])
def test_a_stream_that_is_closed_is_an_empty_one(closed: str, code: int) -> None:
    command = f"{sys.executable} -m turnfold compact --policy '{POLICY}' {closed}"

    done = subprocess.run(
        ["sh", "-c", command], input=ONE_MESSAGE, capture_output=True, text=True, timeout=30, check=False
    )  # fmt: skip

    assert done.returncode == code
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("reader", ["head -c 1", "true"])
@pytest.mark.parametrize("words", ["policy show", "--help", "api --help", "--version", f"compact --policy '{POLICY}'"])
def test_a_reader_that_leaves_early_is_no_error(words: str, reader: str) -> None:
    command = f"{sys.executable} -m turnfold {words} | {reader} >/dev/null; echo ${{PIPESTATUS[0]}}"

    done = subprocess.run(
        ["bash", "-c", command], input=ONE_MESSAGE, capture_output=True, text=True, timeout=30, check=False
    )  # fmt: skip

    assert (done.stdout.strip(), done.stderr) == ("0", "")


@pytest.mark.parametrize("stderr", ["2>/dev/full", "2>&-", "2> >(true)"])
def test_a_refusal_that_nobody_can_read_has_its_exit_code_all_the_same(stderr: str) -> None:
    command = f"{sys.executable} -m turnfold policy check '{{}}' {stderr}"

    assert subprocess.run(["bash", "-c", command], timeout=30, check=False).returncode == 2
