"""Durations as people write them."""

from __future__ import annotations

import pytest

from turnfold.cli.durations import seconds_of, short_duration
from turnfold.errors import BadInput


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0", 0), ("90", 90), ("90s", 90), ("10m", 600), ("1.5h", 5400), ("2d", 172_800), (" 10M ", 600)],
)
def test_a_duration_is_read_in_its_unit(text: str, seconds: float) -> None:
    assert seconds_of(text, "--idle") == seconds


@pytest.mark.parametrize("text", ["", "m", "-1m", "10 minutes", "1e3", "inf", "nan", "١m"])
def test_what_is_no_duration_is_refused_by_the_options_name(text: str) -> None:
    with pytest.raises(BadInput, match=r"--idle: .*10m"):
        seconds_of(text, "--idle")


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0s"), (59.9, "59s"), (60, "1m"), (7199, "1h"), (86_400, "1d"), (10**7, "115d")]
)
def test_a_duration_is_told_in_its_largest_unit(seconds: float, text: str) -> None:
    assert short_duration(seconds) == text
