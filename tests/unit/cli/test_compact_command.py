"""`turnfold compact`: messages in, messages out, one line where something is wrong."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from turnfold.cli import main

TALK: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    *(
        {"role": role, "content": f"{role} {n}: the crate DK-{n}0812 left Esbjerg with {n}12 pallets. " * 6}
        for n in range(1, 5)
        for role in ("user", "assistant")
    ),
]
KEEP_LAST = '{"strategy": "truncation", "trigger": "always", "minimum_preserved": 1}'
LEAVE_ALL = '{"strategy": "truncation", "trigger": "never"}'
FOLD = '{"strategy": "summarization", "trigger": "always", "minimum_preserved": 2}'


class Ended(NamedTuple):
    """How the command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Turnfold = Callable[..., Ended]


@pytest.fixture
def turnfold(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Turnfold:
    """Runs the command in this process; `stdin` is JSON or bytes."""

    def run(*arguments: str, stdin: Any = b"") -> Ended:
        data = stdin if isinstance(stdin, bytes) else json.dumps(stdin).encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        monkeypatch.setattr(sys, "argv", ["turnfold", *arguments])
        code = 0
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
        captured = capsys.readouterr()
        return Ended(code, captured.out, captured.err)

    return run


def test_what_is_left_is_printed_as_a_json_array(turnfold: Turnfold) -> None:
    ended = turnfold("compact", "--policy", KEEP_LAST, stdin=TALK)

    assert (ended.code, ended.err) == (0, "")
    assert ended.json == [TALK[0], TALK[-1]]


def test_a_conversation_may_come_from_a_file_and_so_may_the_policy(turnfold: Turnfold, tmp_path: Path) -> None:
    (tmp_path / "talk.json").write_text(json.dumps({"messages": TALK}), encoding="utf-8")
    (tmp_path / "policy.json").write_text(KEEP_LAST, encoding="utf-8")

    ended = turnfold("compact", str(tmp_path / "talk.json"), "--policy", str(tmp_path / "policy.json"))

    assert ended.json == [TALK[0], TALK[-1]]


def test_one_of_several_conversations_is_picked(turnfold: Turnfold) -> None:
    lines = "\n".join(json.dumps({"messages": [{"role": "user", "content": text}]}) for text in ("one", "two"))

    ended = turnfold("compact", "--policy", LEAVE_ALL, "--pick", "1", stdin=lines.encode())

    assert [message["content"] for message in ended.json] == ["two"]


def test_what_is_not_touched_comes_out_as_it_went_in(turnfold: Turnfold) -> None:
    odd = b'[{"role":"user","content":"half \\ud83d","big":123456789012345678901234567890,"x":{"y":[1.0,null]}}]'

    ended = turnfold("compact", "--policy", LEAVE_ALL, stdin=odd)

    assert ended.json == json.loads(odd)


def test_the_report_tells_groups_counts_and_actions(turnfold: Turnfold) -> None:
    report = turnfold("compact", "--policy", KEEP_LAST, "--report", stdin=TALK).json

    assert set(report) == {"messages", "groups", "before", "after", "actions"}
    assert report["messages"] == [TALK[0], TALK[-1]]
    assert report["before"]["messages"] == 9
    assert report["after"]["messages"] == 2
    assert set(report["after"]) == {"messages", "groups", "turns", "tokens", "bytes"}
    assert set(report["groups"][0]) == {
        *("id", "kind", "turn", "messages", "message_count", "bytes", "tokens", "included", "reason"),
        *("summary_of", "summarized_by"),
    }
    assert [group["messages"] for group in report["groups"]] == [[n] for n in range(9)]
    assert report["groups"][1]["reason"] == "truncation"
    assert report["actions"] == [
        {
            "strategy": "truncation",
            "triggered": True,
            "changed": True,
            "before_tokens": report["before"]["tokens"],
            "after_tokens": report["after"]["tokens"],
            "reason": None,
        }
    ]


def test_summaries_are_made_in_place_without_a_model_and_name_their_sources(turnfold: Turnfold) -> None:
    report = turnfold("compact", "--policy", FOLD, "--report", stdin=TALK).json

    summary = next(group for group in report["groups"] if group["kind"] == "summary")
    sources = [group for group in report["groups"] if group["summarized_by"] == summary["id"]]
    assert report["messages"][1]["content"].startswith("[Summary]")
    assert (summary["messages"], summary["turn"]) == ([], None)
    assert [group["id"] for group in sources] == summary["summary_of"]
    assert report["after"]["tokens"] < report["before"]["tokens"]


def test_no_mark_of_a_summary_is_in_the_messages(turnfold: Turnfold) -> None:
    ended = turnfold("compact", "--policy", FOLD, stdin=TALK)

    assert set(ended.json[1]) == {"role", "content"}


def test_a_summary_that_cannot_be_made_is_a_warning_and_changes_nothing(turnfold: Turnfold) -> None:
    policy = '{"strategy": "summarization", "trigger": "always", "max_summary_input_tokens": 10}'

    ended = turnfold("compact", "--policy", policy, "--report", stdin=TALK)

    assert (ended.code, ended.json["messages"]) == (0, TALK)
    assert ended.json["actions"][0]["reason"] == "no_group_fits_the_input"
    assert "no_group_fits_the_input" in ended.err
    assert ended.err.count("\n") == 1


def test_a_summarizer_of_ones_own_is_named_by_its_factory(turnfold: Turnfold) -> None:
    ended = turnfold(
        *("compact", "--policy", FOLD, "--summarizer", "turnfold.summaries.extractive:ExtractiveSummarizer"), stdin=TALK
    )

    assert ended.code == 0
    assert ended.json[1]["content"].startswith("[Summary]")


def test_another_tokenizer_than_the_policys_can_be_asked_for(turnfold: Turnfold) -> None:
    def tokens(*options: str) -> int:
        return int(turnfold("compact", "--policy", LEAVE_ALL, "--report", *options, stdin=TALK).json["after"]["tokens"])

    assert tokens("--tokenizer", "o200k_base") != tokens() == tokens("--tokenizer", "estimate")


def test_an_empty_conversation_stays_empty(turnfold: Turnfold) -> None:
    assert turnfold("compact", "--policy", KEEP_LAST, stdin=[]).json == []


@pytest.mark.parametrize(
    ("arguments", "stdin", "said"),
    [
        (["--policy", '{"strategy": "shrinkify"}'], TALK, "strategy: 'shrinkify'"),
        (["--policy", '{"strategy": "pipeline", "strategies": [{"strategy": "x"}]}'], TALK, "strategies[0].strategy"),
        (["--policy", "{"], TALK, "policy: is not JSON"),
        (["--policy", '{"strategy":' * 50_000], TALK, "policy: is not JSON"),
        (["--policy", "no-such-file"], TALK, "no-such-file"),
        (["--policy", LEAVE_ALL], b"hello", "input: is not JSON"),
        (["--policy", LEAVE_ALL], b"[" * 100_000, "input: is not JSON"),
        (["--policy", LEAVE_ALL], b"[NaN]", "NaN"),
        (["--policy", LEAVE_ALL], [{"content": "x"}], "messages[0].role"),
        (["--policy", LEAVE_ALL], [{"role": "tool", "content": "x"}], "messages[0].tool_call_id"),
        (["--policy", LEAVE_ALL, "--pick", "3"], TALK, "--pick"),
        (["--policy", LEAVE_ALL, "--tokenizer", "klingon_base"], TALK, "--tokenizer"),
        (["--policy", LEAVE_ALL, "--input-format", "morse"], TALK, "--input-format"),
        (["--policy", LEAVE_ALL, "--summarizer", "magic"], TALK, "magic"),
        (["--policy", LEAVE_ALL, "--summarizer", "no.such.module:thing"], TALK, "no.such.module:thing"),
        (["--policy", LEAVE_ALL, "--summarizer", "openai"], TALK, "TURNFOLD_SUMMARY_MODEL"),
        (["no-such-file", "--policy", LEAVE_ALL], TALK, "no-such-file"),
    ],
)
def test_bad_input_ends_with_2_and_one_line_that_names_it(
    turnfold: Turnfold, arguments: list[str], stdin: Any, said: str
) -> None:
    ended = turnfold("compact", *arguments, stdin=stdin)

    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert ended.err.startswith("turnfold: ")
    assert ended.err.count("\n") == 1


def test_a_policy_is_checked_with_the_line_that_compact_would_print(turnfold: Turnfold) -> None:
    faulty = '{"strategy": "truncation", "trigger": {"tokens_exceed": -4}}'

    assert turnfold("policy", "check", LEAVE_ALL).code == 0
    assert turnfold("policy", "check", faulty) == turnfold("compact", "--policy", faulty, stdin=TALK)


def test_the_default_policy_that_is_shown_is_valid(turnfold: Turnfold) -> None:
    shown = turnfold("policy", "show")

    assert turnfold("policy", "check", shown.out).code == 0


def test_the_module_runs_as_the_console_script_does() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "turnfold", "compact", "--policy", "{}"], input=b"[]", capture_output=True, check=False
    )

    assert ended.returncode == 2
    assert ended.stderr.startswith(b"turnfold: strategy:")
