"""Durations as people write them: 90s, 10m, 2h, 1d."""

from __future__ import annotations

import re

from turnfold.errors import BadInput

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_SHAPE = re.compile(r"(\d+(?:\.\d+)?)([smhd]?)", re.ASCII)


def seconds_of(text: str, named_by: str) -> float:
    """
    Raises:
        BadInput: it is no duration, naming the option.
    """
    shape = _SHAPE.fullmatch(text.strip().lower())
    if shape is None:
        raise BadInput(named_by, f"{text!r} is no duration; write 90s, 10m, 2h or 1d")
    return float(shape[1]) * _UNITS[shape[2] or "s"]


def short_duration(seconds: float) -> str:
    """In its largest unit, rounded down: `3h`."""
    unit, length = next(((u, n) for u, n in reversed(_UNITS.items()) if seconds >= n), ("s", 1))
    return f"{int(seconds // length)}{unit}"
