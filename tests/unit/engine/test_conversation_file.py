"""Conversations in files: an array, an object with messages, JSON lines of either."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.unit.engine.talk import assistant, user
from turnfold.conversation_file import read_conversation
from turnfold.errors import BadInput

TALK = [user("hello"), assistant("hi")]
OTHER = [user("another")]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "conversation"


def lines(*values: Any) -> str:
    return "\n".join(json.dumps(value) for value in values)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(TALK),
        json.dumps(TALK, indent=2),
        json.dumps({"messages": TALK, "model": "m"}),
        json.dumps({"messages": TALK}) + "\n",
        lines(*TALK),
        lines(*TALK).replace("\n", "\r\n\r\n") + "\n\n",
        lines({"messages": TALK}, {"messages": OTHER}),
        "\ufeff" + json.dumps(TALK),
    ],
)
def test_each_form_gives_the_messages(file: Path, text: str) -> None:
    file.write_bytes(text.encode())

    assert read_conversation(str(file)) == TALK


def test_one_message_alone_is_a_conversation(file: Path) -> None:
    file.write_text(json.dumps(user("hello")), encoding="utf-8")

    assert read_conversation(str(file)) == [user("hello")]


def test_a_conversation_of_several_is_picked_by_its_number_counted_from_0(file: Path) -> None:
    file.write_text(lines({"messages": TALK}, {"messages": OTHER}), encoding="utf-8")

    assert read_conversation(str(file), pick=1) == OTHER


@pytest.mark.parametrize("pick", [2, -1])
def test_a_number_that_is_none_of_them_is_bad_input(file: Path, pick: int) -> None:
    file.write_text(lines({"messages": TALK}, {"messages": OTHER}), encoding="utf-8")

    with pytest.raises(BadInput, match="--pick"):
        read_conversation(str(file), pick=pick)


@pytest.mark.parametrize("name", [None, "-"])
def test_without_a_file_standard_input_is_read(monkeypatch: pytest.MonkeyPatch, name: str | None) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(TALK).encode())))

    assert read_conversation(name) == TALK


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "input: is not JSON"),
        ("hello", "input: is not JSON"),
        ("[NaN]", "input: is not JSON"),
        ("[" * 100_000, "input: is not JSON"),
        ("7", "messages: must be an array"),
        ("{}", 'input: must be an array of messages, or an object with "messages"'),
        ('{"messages": 7}', "messages: must be an array"),
        (lines(*TALK) + '\n\n{"role": ', "line 4: is not JSON"),
        (lines({"messages": TALK}, user()), "line 2: must be an array"),
        (lines({"messages": TALK}, "", user()), "line 3: must be"),
        ('[{"role": "user", "content": "x"}, {"content": "y"}]', "messages[1].role: is missing"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(file: Path, text: str, said: str) -> None:
    file.write_text(text, encoding="utf-8")

    with pytest.raises(BadInput) as caught:
        read_conversation(str(file))

    assert str(caught.value).startswith(said)


def test_a_file_that_cannot_be_read_is_bad_input(file: Path) -> None:
    with pytest.raises(BadInput, match="No such file"):
        read_conversation(str(file))
