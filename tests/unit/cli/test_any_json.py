"""Whatever JSON `turnfold compact` is given: it is compacted, or refused in one line."""

from __future__ import annotations

import io
import json
import random
import sys
from typing import Any

import pytest

from tests.unit.api.test_any_json import POLICY
from tests.unit.library.test_any_json import ANTHROPIC, CHAT, RESPONSES, VALUES, paths, put
from turnfold.cli import main

MANY = 150


@pytest.mark.parametrize(("name", "messages"), [("chat", CHAT), ("responses", RESPONSES), ("anthropic", ANTHROPIC)])
def test_any_value_anywhere_in_the_input(
    name: str, messages: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = [({"messages": messages}, path, value) for path in paths({"messages": messages}) for value in VALUES]
    for whole, path, value in random.Random(3).sample(cases, MANY):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(put(whole, path, value)).encode())))
        words = ["compact", "--policy", json.dumps(POLICY), "--input-format", name, "--report"]

        assert code_of(words, capsys) in {0, 2}, (path, value)


def test_any_value_anywhere_in_the_policy(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for path in paths(POLICY):
        for value in VALUES:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(CHAT).encode())))

            assert code_of(["compact", "--policy", json.dumps(put(POLICY, path, value))], capsys) in {0, 2}


def code_of(words: list[str], capsys: pytest.CaptureFixture[str]) -> int:
    """The exit code; where it tells of a refusal, that is one line and all."""
    with pytest.raises(SystemExit) as end:
        main(words)
    told = capsys.readouterr()
    code = int(end.value.code or 0)
    if code == 2:
        assert told.out == ""
        assert len(told.err.splitlines()) == 1
    else:
        json.loads(told.out)
    return code
