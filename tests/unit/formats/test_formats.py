from __future__ import annotations

import pytest

from turnfold.errors import BadInput
from turnfold.formats import FORMATS, format_named


def test_three_formats_are_offered_by_their_names() -> None:
    assert FORMATS == ("chat", "responses", "anthropic")
    assert [format_named(name).name for name in FORMATS] == list(FORMATS)


def test_another_name_is_refused_with_those_that_are_offered() -> None:
    with pytest.raises(BadInput, match="--input-format: 'xml' is not offered; one of chat, responses, anthropic"):
        format_named("xml", "--input-format")
