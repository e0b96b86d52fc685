"""When a message was said, where it tells."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

# Fields by which backends note it; none of them is the format's own.
_FIELDS = ("created_at", "timestamp", "created", "time", "date", "sent_at")
_EARLIEST_SECONDS, _LATEST_SECONDS = 86_400 * 365, 32_503_680_000  # from 1971 to 3000
_MILLISECONDS = 1000


def day_of(message: Mapping[str, Any]) -> str | None:
    """The day as `2031-03-14`, None where the message has no time that can be read. Seconds since 1970 are UTC."""
    for field in _FIELDS:
        if (value := message.get(field)) is not None and (day := _day(value)) is not None:
            return day
    return None


def _day(value: Any) -> str | None:
    try:
        if isinstance(value, str):
            return datetime.fromisoformat(value.strip()).date().isoformat()
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return None
        seconds = value / _MILLISECONDS if value > _LATEST_SECONDS else value
        if not _EARLIEST_SECONDS <= seconds <= _LATEST_SECONDS:
            return None
        return datetime.fromtimestamp(seconds, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return None
