"""JSON that survives a round trip."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnfold import jsonio
from turnfold.messages import Message

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(JSON)
def test_every_value_comes_back_as_it_was(value: Any) -> None:
    again = jsonio.loads(jsonio.dumps(value))

    assert again == value
    assert repr(again) == repr(value)  # 1 and 1.0 are different things to write


@pytest.mark.parametrize(
    "value", [2**64, -(2**70), 9007199254740993, 2**63 - 1, "lone \ud83d", {"\udc00": ["\ud800"]}, 1.0]
)
def test_what_other_readers_lose_comes_back_too(value: Any) -> None:
    assert jsonio.loads(jsonio.dumps(value)) == value


def test_text_and_bytes_are_read_alike() -> None:
    assert jsonio.loads('{"a": "\ud83d"}') == jsonio.loads(b'{"a": "\\ud83d"}') == {"a": "\ud83d"}
    assert jsonio.loads(b"\xef\xbb\xbf[1]") == [1]


def test_a_message_is_written_as_the_object_that_it_is() -> None:
    assert (
        jsonio.dumps(Message.marked({"role": "user", "content": "x"}, {"secret": 1}))
        == b'{"role":"user","content":"x"}'
    )


@pytest.mark.parametrize(
    "text", [b"", b"{", b"[1,]", b"NaN", b"[Infinity]", b"-Infinity", b"1e400", b"\xff", b"[" * 100_000, b"1 2", b"'a'"]
)
def test_what_is_no_json_is_a_value_error(text: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        jsonio.loads(text)


def test_long_integers_beside_nan_are_refused_as_well() -> None:
    with pytest.raises(ValueError, match="NaN"):
        jsonio.loads(b"[12345678901234567890, NaN]")


@pytest.mark.parametrize(
    ("value", "plain"),
    [({"a": [1, "x"]}, True), (2**70, False), ("\ud800", False), ({"id": 12345678901234567890}, False)],
)
def test_plain_values_are_told_from_those_that_need_care(value: Any, plain: bool) -> None:
    assert jsonio.is_plain(value) is plain


def test_large_floats_stay_finite() -> None:
    assert math.isfinite(jsonio.loads(b"1.7976931348623157e308"))


@pytest.mark.parametrize("before", [0, 499_980, 499_995, 500_000, 1_200_000])
def test_long_integers_are_found_wherever_they_stand_in_a_large_text(before: int) -> None:
    value = ["x" * before, 2**64 + 1]

    assert jsonio.loads(json.dumps(value)) == value
    assert not jsonio.is_plain(["x" * before, 2**63])
    assert jsonio.is_plain(["x" * before, 10**17])


LONG = "x" * 1_000
EMPTY: list[list[int]] = [[] for _ in range(600)]


@pytest.mark.parametrize(
    "value",
    [
        LONG, [LONG], {"content": LONG}, [{"tool_calls": [{"function": {"arguments": LONG}}]}], ["x"] * 500, [1] * 600,
        {str(n): n for n in range(300)}, [{"content": [{"image_url": {"url": LONG}}]}], EMPTY, {LONG: 1},
    ],
)  # fmt: skip
def test_what_takes_long_is_told_wherever_the_length_is(value: Any) -> None:
    assert jsonio.is_longer_than(value, 900)
    assert not jsonio.is_longer_than(value, 5_000)
