"""Reading in steps gives and refuses what reading at once does."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from turnfold import jsonio
from turnfold_api.stepwise_json import loads_in_steps

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)
ODD = [
    b"", b" ", b"{", b"[", b'{"a"', b'{"a":', b'{"a":1', b'{"a":1,', b'{"a":1,}', b"[1,]", b"[1 2]", b"[,1]", b"{1:2}",
    b'{"a" 1}', b'{"a":1}x', b"[[[[[1", b"NaN", b"[NaN]", b"[1e999]", b"[-Infinity]", b'["\\ud800"]', b'["\xff"]',
    b'{"a":1,"a":2}', b'\t{ "a"\n:\r[ 1 , { } , [ ] ] } ', b"[" * 200_000, b'{"a":' * 200_000, b"[0x1]", b"[01]",
    b'["a\nb"]', b"\xef\xbb\xbf[]", b'{"a":\x0b1}', b"12345678901234567890123", b"[" + b"9" * 5000 + b"]", b"nul", b'"',
    b"[" + b"1," * 19_999 + b"1]", b"[" + b"1," * 20_000 + b"1]",
]  # fmt: skip


def outcome(read: Any, text: bytes) -> Any:
    try:
        return repr(read(text))
    except ValueError as error:
        return type(error), str(error)


@given(VALUES, st.sampled_from([None, 1, "\t"]))
@example({"messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}], "n": 2**70}, None)
def test_what_is_json_is_read_alike(value: Any, indent: Any) -> None:
    text = json.dumps(value, indent=indent).encode()

    assert loads_in_steps(text) == value
    assert outcome(loads_in_steps, text) == outcome(jsonio.loads, text)


@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_what_is_odd_is_read_or_refused_alike(text: bytes) -> None:
    assert outcome(loads_in_steps, text) == outcome(jsonio.loads, text)


@given(VALUES, st.integers(0, 200), st.binary(max_size=3))
def test_what_is_broken_is_refused_alike(value: Any, at: int, instead: bytes) -> None:
    text = json.dumps(value).encode()
    text = text[:at] + instead + text[at + len(instead) :]

    assert outcome(loads_in_steps, text) == outcome(jsonio.loads, text)
