"""Which messages of a call are new to a session's log."""

from __future__ import annotations

import random

import pytest

from turnfold_api.proxy.fingerprint import fingerprint
from turnfold_api.proxy.matching import common_start, first_new, has_turn


@pytest.mark.parametrize(
    ("log", "body", "is_resent", "expected"),
    [
        ("", "u", False, 0),
        ("uA", "uAv", True, 2),  # the whole history again
        ("uAvB", "vBw", True, 2),  # trimmed at its beginning
        ("uAvBwC", "uwCx", True, 3),  # trimmed in the middle
        ("uA", "v", False, 0),  # only what is new
        ("uA", "u", False, 0),  # the same word again, as something new
        ("uAuA", "uAuAu", True, 4),  # a chat that repeats itself
        ("yAyA", "y", False, 0),
        ("uAv", "v", False, 1),  # appended before, without a reply so far
        ("uAv", "uAv", True, 3),
        ("uAvB", "xAvBw", True, None),  # its beginning was edited
        ("uAvB", "uAx", True, None),  # its end was edited
        ("uAvB", "uAv", True, None),  # asked again, for another reply
        ("uAvB", "xYz", True, None),  # another history
    ],
)
def test_what_ends_the_log_decides_what_is_new(log: str, body: str, is_resent: bool, expected: int | None) -> None:
    assert first_new(log, body, is_resent=is_resent) == expected


def test_any_history_that_is_resent_whole_or_trimmed_is_recognized() -> None:
    rng = random.Random(7)
    for _ in range(2_000):
        log = [rng.choice("abcd") for _ in range(rng.randint(1, 12))]
        new = [rng.choice("wxyz") for _ in range(rng.randint(0, 3))]
        body = [*log[rng.randint(0, len(log) - 1) :], *new]

        assert first_new(log, body, is_resent=True) == len(body) - len(new), (log, body)


def test_a_turn_is_there_when_the_log_ends_with_it_and_a_reply() -> None:
    assert has_turn("uAvB", "uAv")
    assert has_turn("uAvB", "v")
    assert not has_turn("uAvB", "uAw")
    assert not has_turn("uA", "uAv")


def test_a_branch_shares_what_both_begin_with() -> None:
    assert common_start("uAvB", "uAx") == 2
    assert common_start("uA", "uAv") == 2
    assert common_start("uA", "x") == 0


SAME: list[tuple[dict[str, object], dict[str, object]]] = [
    ({"role": "assistant", "content": None, "refusal": None}, {"role": "assistant", "content": ""}),
    ({"role": "user", "content": "hi"}, {"role": "user", "content": [{"type": "text", "text": "hi"}]}),
    (
        {"role": "assistant", "content": "hi", "annotations": [], "audio": None, "turnfold_partial": True},
        {"role": "assistant", "content": "hi"},
    ),
    (
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "assistant", "content": ""},
    ),
]
OTHER: list[tuple[dict[str, object], dict[str, object]]] = [
    ({"role": "user", "content": "hi"}, {"role": "user", "content": "Hi"}),
    ({"role": "user", "content": "hi"}, {"role": "assistant", "content": "hi"}),
    (
        {"role": "tool", "tool_call_id": "a", "content": "1"},
        {"role": "tool", "tool_call_id": "b", "content": "1"},
    ),
    (
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:a"}}]},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:b"}}]},
    ),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_clients_drop_or_write_otherwise_says_the_same(one: dict[str, object], other: dict[str, object]) -> None:
    assert fingerprint(one) == fingerprint(other)


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_another_word_role_call_or_image_is_another_message(one: dict[str, object], other: dict[str, object]) -> None:
    assert fingerprint(one) != fingerprint(other)
