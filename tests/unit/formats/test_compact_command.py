"""`turnfold compact --input-format`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.unit.formats.talks import assistant, call, output, result, said, text, thought, use, user
from turnfold.cli import main

KEEP_ALL = '{"strategy": "truncation", "trigger": "never"}'
LAST_TURN = '{"strategy": "sliding_window", "keep_last_turns": 1}'
ITEMS = [said("user", "go"), thought(), call("a"), output("a"), said("assistant", "done"), said("user", "thanks")]
MESSAGES = [user("go"), assistant(use("a")), user(result("a"), text("and?")), assistant("done"), user("thanks")]


@pytest.fixture
def compact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Any:
    """Runs the command on a value; what it printed."""

    def run(value: Any, name: str, policy: str = KEEP_ALL, *options: str) -> Any:
        file = tmp_path / "talk.json"
        file.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
        arguments = ["compact", str(file), "--input-format", name, "--policy", policy, *options]
        monkeypatch.setattr(sys, "argv", ["turnfold", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsysbinary.readouterr()
        return json.loads(printed.out) if ended.value.code == 0 else (ended.value.code, printed.err.decode())

    return run


def test_items_come_out_as_items(compact: Any) -> None:
    assert compact(ITEMS, "responses") == ITEMS
    assert compact({"input": ITEMS}, "responses", LAST_TURN) == ITEMS[-1:]


def test_lines_of_items_are_one_conversation_and_lines_that_hold_some_are_several(compact: Any) -> None:
    lines = "\n".join(json.dumps(item) for item in ITEMS)
    several = "\n".join(json.dumps({"input": [item]}) for item in ITEMS)

    assert compact(lines, "responses") == ITEMS
    assert compact(several, "responses", KEEP_ALL, "--pick", "5") == ITEMS[-1:]


def test_messages_come_out_with_their_system_prompt(compact: Any) -> None:
    assert compact(MESSAGES, "anthropic") == MESSAGES
    assert compact({"messages": MESSAGES}, "anthropic") == MESSAGES
    assert compact({"system": "Be brief.", "messages": MESSAGES}, "anthropic", LAST_TURN) == {
        "system": "Be brief.",
        "messages": MESSAGES[-1:],
    }


def test_a_report_counts_positions_of_the_input(compact: Any) -> None:
    items = compact(ITEMS, "responses", LAST_TURN, "--report")
    messages = compact({"system": "Be brief.", "messages": MESSAGES}, "anthropic", LAST_TURN, "--report")

    assert [group["messages"] for group in items["groups"]] == [[0], [1, 2, 3], [4], [5]]
    assert [group["messages"] for group in messages["groups"]] == [[], [0], [1, 2], [2], [3], [4]]
    assert (items["messages"], messages["messages"], messages["system"]) == (ITEMS[-1:], MESSAGES[-1:], "Be brief.")
    assert "system" not in items


@pytest.mark.parametrize(
    ("value", "name", "said"),
    [
        ([], "xml", "--input-format: 'xml' is not offered; one of chat, responses, anthropic"),
        ([{"type": "function_call"}], "responses", "messages[0].call_id: is missing"),
        ({"system": 3, "messages": []}, "anthropic", "system: must be a string or an array of text blocks"),
        ([{"role": "tool"}], "anthropic", "messages[0].role: 'tool' is not known"),
    ],
)
def test_bad_input_ends_with_2_and_one_line(compact: Any, value: Any, name: str, said: str) -> None:
    code, line = compact(value, name)

    assert code == 2
    assert said in line
    assert line.count("\n") == 1
